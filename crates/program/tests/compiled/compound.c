// leaves r=5 s=5
int r = 7, s = 3;
int main() { r += s; r *= 2; r -= 5; r /= 2; r %= 5; s = r = s + r; return 0; }
