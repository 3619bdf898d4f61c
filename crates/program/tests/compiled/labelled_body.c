// leaves r=7
int r;
int main() {
  int i = 0;
  if (i > 0) skip: r += 5;
  r += 1;
  if (i++ == 0) goto skip;
  return 0;
}
