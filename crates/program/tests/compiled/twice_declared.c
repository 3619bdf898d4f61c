// leaves x=5 y=2
extern int x;
int x, y;
int x = 4;
int y;
extern int y;
int main() { int f(int); x = f(x); y = 2; return 0; }
int f(int a) { return a + 1; }
