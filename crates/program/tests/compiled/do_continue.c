// leaves r=18 s=7
int r, s;
int main() {
  int i = 0;
  do {
    i++;
    if (i == 3) continue;
    if (i == 7) break;
    r += i;
  } while (i < 10);
  s = i;
  return 0;
}
