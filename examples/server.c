// What is requested is acknowledged, if each round of the loop inside comes nearer to its end.
int req, ack;

void main() {
  int n, step;
  while (?) {
    req = 1;
    n = 100;
    while (n > 0) {
      n = n - step;
    }
    ack = 1;
    req = 0;
    ack = 0;
  }
}
