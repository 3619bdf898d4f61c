// leaves r=265
int r;
int main() {
  int i, j;
  for (i = 0; i < 3; i++)
    for (j = 0; j < 3; j++)
      switch (i) {
        case 0: switch (j) { case 1: r += 1; break; default: r += 2; }
        case 1: r += 10; break;
        case 2: if (j == 1) break; r += 100;
      }
  return 0;
}
