// leaves r=29
int r;
int main() {
  int i = 2;
  goto inside;
  while (i < 5) {
    r += 10;
inside:
    r += i;
    i++;
  }
  return r;
}
