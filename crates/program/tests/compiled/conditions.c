// leaves r=254
int r;
int main() {
  int x;
  for (x = -3; x <= 3; x++) {
    r = 2 * r + (x < 0 == x < 1);
    if (!x || !(x - 2)) r++;
    r += (x != 0) + (x > 1) * 2;
  }
  return 0;
}
