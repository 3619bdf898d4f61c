enum { red, green, red };
int main() { return red; }
