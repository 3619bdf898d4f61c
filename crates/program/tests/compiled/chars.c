// leaves r=199 s=25
int r, s;
int main() { r = 'a' + '\n' + '\\'; s = 'z' - 'a'; return 0; }
