// leaves a=4 b=4294967290 c=-25536 r=1
typedef unsigned char uint8_t; typedef unsigned int uint32_t; typedef short int16_t;
uint8_t a; uint32_t b; int16_t c; int r;
int main() { a = 250; a += 10; b = a - 10; c = 40000; r = b > 100; return 0; }
