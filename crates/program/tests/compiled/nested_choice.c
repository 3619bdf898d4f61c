// leaves r=37493 s=4 t=4
int r, s, t;
int main() {
  int x;
  for (x = -2; x < 5; x++) {
    r = r * 5 + (x < 0 ? x == -1 ? 1 : 2 : x > 2 ? 3 : 4);
    s += x > 0 ? (t = x) : (t -= 1);
  }
  return 0;
}
