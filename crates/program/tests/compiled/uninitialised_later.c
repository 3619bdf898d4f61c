// leaves r=4
int r;
int f(int n) { int t; if (n > 2) t = n; else t = -n; return t; }
int main() { r = f(1) + f(5); return 0; }
