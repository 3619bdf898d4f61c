// leaves r=993920228 s=212
unsigned r, s;
int main() {
  unsigned i;
  for (i = 0; i < 20; i++) { r = r * 3 + (i ^ (i >> 1)); s += (i & -i) | (i & 1 ? 16 : 0); }
  return 0;
}
