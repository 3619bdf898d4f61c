// leaves r=2221
int r;
int main() {
  int n = 7, k = (n + 3) / 4;
  switch (n % 4) {
    case 0: do { r += 1;
    case 3: r += 10;
    case 2: r += 100;
    case 1: r += 1000;
    } while (--k > 0);
  }
  return 0;
}
