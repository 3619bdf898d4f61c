// leaves c=127 d=0 r=126744 s=255
signed char c = 127; unsigned char d; int r, s;
int main() { r = c++; s = d--; r = r * 1000 + c; s = s * 1000 + d; r += c-- + ++d; return 0; }
