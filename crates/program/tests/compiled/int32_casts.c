// leaves r=-1199 s=4464 t=1 u=65531
int r, s, t, u;
int main() {
  r = (unsigned char)300 + (signed char)200; s = (short)70000; t = (_Bool)256 + (_Bool)0;
  u = (int)(unsigned short)-5; r = r * 100 + (char)(255 + 2);
  return 0;
}
