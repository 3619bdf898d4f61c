// leaves r=0 s=-31072
int r, s; 
unsigned char next(unsigned char c) { return c + 1; }
short half(int x) { return x / 2; }
int main() { r = next(255) + next(511); s = half(200000); return 0; }
