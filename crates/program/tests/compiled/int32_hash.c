// leaves r=3694324181
unsigned r;
int main() {
  int i; r = 2166136261u;
  for (i = 0; i < 8; i++) { r ^= i * 31; r *= 16777619; }
  return 0;
}
