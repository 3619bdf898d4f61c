// leaves x=100 y0=8 y1=9 y2=12 y3=7 y4=2
int x, y0, y1, y2, y3, y4;

int f() {
  x = 100;
  return 3;
}

int id(int a) { return a; }

int main() {
  x = 5;
  y0 = x++ + f();
  x = 5;
  y1 = ++x + f();
  y2 = (x = 9) + f();
  y3 = (x = id(4)) + f();
  x = 5;
  y4 = x-- - f();
  return 0;
}
