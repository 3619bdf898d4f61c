// leaves r=10 s=1
int r, s;
int odd(int n);
int even(int n) { if (n == 0) return 1; return odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int main() { r = even(6) * 10 + odd(6); s = odd(7); return 0; }
