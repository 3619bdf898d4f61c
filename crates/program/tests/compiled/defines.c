// leaves r=32
#define N 4
#define TWICE (N + N)
#define EMPTY
int r;
int main() {
  int i EMPTY;
  for (i = 0; i < TWICE; i++) r += N;
  return 0;
}
