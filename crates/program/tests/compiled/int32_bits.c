// leaves r=4121 s=56 t=90976 u=4294967293
int r, s, t; unsigned u;
int main() {
  int x = 0x5A5A, y = -12345;
  r = (x & y) ^ (x | 3); s = ~y & 0xFF; t = (y >> 3) + (x << 2);
  u = 0xF0F0F0F0; u ^= u >> 4; u |= 1u << 31; u &= ~2u;
  return 0;
}
