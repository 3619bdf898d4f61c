// leaves r=5
void exit(int);
int r;
void stop(int n) { r = n; if (n > 3) exit(0); r = r + 100; }
int main() { stop(2); stop(5); r = 9; return 0; }
