// leaves a[0]=0 a[1]=8 a[2]=3 a[3]=3 a[4]=9 r=1239 s=380
int a[5] = {3, 1, 2};
int r, s;
int main() {
  int i, j, t;
  a[3] = 9; a[4] = 0;
  for (i = 0; i < 5; i++)
    for (j = 0; j + 1 < 5 - i; j++)
      if (a[j] > a[j + 1]) { t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
  for (i = 0; i < 5; i++) r = r * 10 + a[i];
  a[a[1]] += 7; a[2]++;
  s = a[0] + a[1] * 10 + a[2] * 100;
  return 0;
}
