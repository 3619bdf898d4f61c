void main() {
  int *p;
}
