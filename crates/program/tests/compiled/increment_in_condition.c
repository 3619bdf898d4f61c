// leaves r=599 s=1005
int r, s;
int main() {
  int n = 4, m = 0;
  while (n-- > 0) r += n;
  while (++m < 5) s += m;
  r = r * 100 + n;
  s = s * 100 + m;
  return 0;
}
