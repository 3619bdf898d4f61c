// leaves r=2147483652 s=0 t=1
unsigned r; int s, t;
int main() {
  unsigned u = 0; int i = -1;
  r = u - 1;
  s = i < u;
  t = (i < 0) + 2 * (u > i);
  r = r / 2 + 5u;
  return 0;
}
