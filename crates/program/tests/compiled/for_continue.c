// leaves r=116
int r;
int main() {
  int i;
  for (i = 0; i < 10; i++) {
    if (i % 2) continue;
    r = r * 3 + i;
  }
  return 0;
}
