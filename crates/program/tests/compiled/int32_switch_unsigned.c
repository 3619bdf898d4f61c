// leaves r=21 c=255
int r; unsigned char c;
int main() { unsigned u = 4294967295u; switch (u) { case -1: r = 1; break; default: r = 2; } c = 255; switch (c) { case -1: r += 10; break; case 255: r += 20; } return 0; }
