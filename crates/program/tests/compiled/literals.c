// leaves r=59
int r;
int main() { r = 0x1F + 017 + 10u + 3L + 0; return 0; }
