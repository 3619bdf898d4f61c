// leaves r=400044 s=-56057 t=131056 c=44 d=-57 h=65520
int r, s, t; unsigned char c; signed char d; unsigned short h;
int main() {
  c = 200; d = c; h = -1;
  r = c + c; s = d; t = h + 1;
  c += 100; d--; h <<= 4;
  r = r * 1000 + c; s = s * 1000 + d; t += h;
  return 0;
}
