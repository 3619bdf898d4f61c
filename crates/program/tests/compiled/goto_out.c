// leaves r=13 s=23
int r, s;
int main() {
  int i, j;
  for (i = 0; i < 5; i++)
    for (j = 0; j < 5; j++) {
      if (i * j == 6) goto found;
      r++;
    }
  r = -1;
found:
  s = i * 10 + j;
  return 0;
}
