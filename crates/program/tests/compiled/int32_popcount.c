// leaves r=24
int r;
int main() {
  unsigned x = 0xDEADBEEF;
  while (x) { x &= x - 1; r++; }
  return 0;
}
