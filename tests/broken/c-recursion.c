int f(int a) { return f(a - 1); }
void main() {
  int x;
  x = f(x);
}
