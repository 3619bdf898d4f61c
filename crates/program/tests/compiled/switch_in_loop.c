// leaves r=509
int r;
int main() {
  int i;
  for (i = 0; ; i++) {
    switch (i) { case 2: continue; case 4: break; case 6: goto out; default: r += i; }
    r += 100;
  }
out:
  return 0;
}
