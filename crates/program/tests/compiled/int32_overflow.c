// leaves r=-2147483648 s=0
int r, s; 
int main() { r = 2147483647; r++; s = r; s = -s; r = s / -1; s = r % -1; return 0; }
