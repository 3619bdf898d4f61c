void f(int a int b) { a = b; }
void g(int a,) { }
void main() { f(1, 2); g(3); }
