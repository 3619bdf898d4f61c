void main() {
  int x = ;
}
