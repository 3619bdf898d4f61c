// leaves r=865 s=2
enum colour { RED, GREEN = 5, BLUE };
enum { LAST = BLUE + 2 };
int r, s;
int main() {
  enum colour c = GREEN;
  r = c + BLUE * 10 + LAST * 100;
  switch (c) { case RED: s = 1; break; case GREEN: s = 2; break; case BLUE: s = 3; }
  return 0;
}
