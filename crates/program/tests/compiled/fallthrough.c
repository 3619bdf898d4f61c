// leaves r=13121 s=1878
int r, s;
int main() {
  int i;
  for (i = 0; i < 6; i++) {
    switch (i) {
      case 1: r += 1;
      case 2: r += 10; break;
      case 3: { r += 100; }
      default: r += 1000; break;
      case 4: r += 10000;
    }
    s = s * 3 + r % 7;
  }
  return 0;
}
