// leaves r=2099
int r;
int sign(int x) {
  if (x < 0) return -1;
  while (x > 10) { if (x == 15) return 2; x--; }
  if (x == 0) return 0;
  return 1;
}
int main() {
  r = sign(-4) + 10 * sign(0) + 100 * sign(3) + 1000 * sign(20);
  return 0;
}
