// leaves r=12 s=60
int r, s;
int main() {
  int a = 1, b = 2;
  r = (a += 3, b *= a, a + b);
  for (a = 0, b = 9; a < b; a++, b--) s += a * b;
  return 0;
}
