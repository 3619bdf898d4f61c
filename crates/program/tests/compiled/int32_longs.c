// leaves r=6442450937 s=9223372036854775807 t=1101659111423 i=268435455
long r; unsigned long s; long long t; int i;
int main() {
  i = 2147483647; r = i; r = r + 1; s = -1; t = 1LL << 40;
  r = r * 3 - 7; s >>= 1; t = t + i; i = i + 1; i = (int)(t >> 3);
  return 0;
}
