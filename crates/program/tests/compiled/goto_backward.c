// leaves r=129
int r;
int main() {
  int n = 5;
again:
  if (n > 0) {
    r = r * 2 + n;
    n--;
    goto again;
  }
  return 0;
}
