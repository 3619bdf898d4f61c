// leaves r=11 g=0
extern int printf(const char *, ...);
static int r;
__attribute__((unused)) static int g;
static inline int twice(const int v) { return 2 * v; }
void nothing(void);
void nothing(void) {}
int main(void) { register int i = 3; const int k = 4; volatile int v = 1; nothing(); r = twice(i) + k + v; (void)g; return 0; }
