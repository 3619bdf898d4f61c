// leaves r=-28 s=-12 t=-3 u=1
int r, s, t, u;
int main() {
  r = -7 / 2; s = -7 % 2; t = 7 / -2; u = 7 % -2;
  r = r * 10 + (-8 / -3); s = s * 10 + (-8 % -3);
  return 0;
}
