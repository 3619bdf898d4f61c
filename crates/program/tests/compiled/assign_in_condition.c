// leaves r=4 s=2
int r, s;
int main() {
  int x = 7, y;
  while ((y = x / 2) > 0) { r += y; x = y; s++; }
  if ((x = 0)) s = 100;
  return 0;
}
