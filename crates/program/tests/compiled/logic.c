// leaves r=2 s=1 calls=8
int r, s, calls;
int f(int v) { calls++; return v; }
int main() {
  r = (f(0) && f(1)) + 2 * (f(1) || f(0)) + 4 * !f(3);
  s = f(2) && f(3);
  if (f(0) || (f(1) && f(0))) s += 10;
  return 0;
}
