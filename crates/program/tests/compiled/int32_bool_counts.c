// leaves b=1 r=11001
_Bool b; int r;
int main() { b = 5; r = b; b = b + b; r = r * 10 + b; b = !b; r = r * 10 + b; r = r * 10 + (b++); r = r * 10 + (b++); return 0; }
