// leaves r=5 s=4294967290 t=4294967291
int r; long s; unsigned t;
int main() { short h = -3; unsigned u = 2; long l = -7; r = (h < (int)u) + 2 * (h < u) + 4 * (l < u); s = h * u; t = l + u; return 0; }
