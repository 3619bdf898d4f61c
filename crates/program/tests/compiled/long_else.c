// leaves r=5678
int r;
int f(int x) { if (x == 0) return 5; else if (x == 1) return 6; else if (x == 2) { return 7; } else return 8; }
int main() { int i; for (i = 0; i < 4; i++) r = r * 10 + f(i); return 0; }
