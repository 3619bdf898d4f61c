void main() {
  int x;
  x = x & 1;
}
