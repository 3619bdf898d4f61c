/** What a method is called with is read where the method reads its parameter. */
final class Passing {
    static int printed;

    public static void main(String[] args) {
        int total = args.length;
        int unused = total + 1;
        show(total);
        forget(unused);
    }

    static void show(int amount) {
        if (amount > 0) {
            print(amount);
        }
    }

    static void print(int number) {
        printed = number;
    }

    static void forget(int value) {
        value = 0;
        printed = value;
    }
}
