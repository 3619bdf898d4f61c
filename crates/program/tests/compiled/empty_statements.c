// leaves r=5
int r;;
int main() { ;;; if (r) ; else r = 1; for (; r < 5; r++) ; while (0) ; { } return 0; }
