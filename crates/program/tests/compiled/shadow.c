// leaves x=3 r=10 s=121
int x = 1, r, s;
int f(int x) { { int x = 10; r += x; } return x + 1; }
int main() {
  x = f(x + 1);
  { int x = 50; s += x; { int x = 7; s += x; } s += x; }
  for (int i = 0; i < 3; i++) s += i;
  for (int i = 5; i < 7; i++) s += i;
  return 0;
}
