// leaves r=5040
int r;
int f(int n) { return n <= 1 ? 1 : n * f(n - 1); }
int main() { r = f(7); return 0; }
