class Walk {
    static void visit(int depth) {
        lock();
        if (depth > 0) visit(depth - 1);
        unlock();
    }

    static void lock() {}
    static void unlock() {}

    public static void main(String[] arguments) {
        visit(arguments.length);
    }
}
