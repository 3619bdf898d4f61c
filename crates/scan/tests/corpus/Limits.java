import java.util.concurrent.locks.ReentrantLock;

/** A callee that ends in more ways than are kept apart: the lock is held as before. */
class Limits {
    private final ReentrantLock lock = new ReentrantLock();
    private int n;

    void outer(int kind) {
        lock.lock();
        try {
            inner(kind);
            n++;
        } finally {
            lock.unlock();
        }
    }

    void twice(int kind) {
        lock.lock();
        try {
            inner(kind);
        } catch (RuntimeException e) {
            n--;
        } finally {
            lock.unlock();
        }
        lock.unlock(); // allow: unlock-without-lock
    }

    private void inner(int kind) {
        lock.lock();
        try {
            switch (kind) {
                case 0:
                    throw new IllegalArgumentException();
                case 1:
                    throw new IllegalStateException();
                case 2:
                    throw new UnsupportedOperationException();
                case 3:
                    throw new ArithmeticException();
                case 4:
                    throw new IndexOutOfBoundsException();
                case 5:
                    throw new ClassCastException();
                case 6:
                    throw new NegativeArraySizeException();
                case 7:
                    throw new ArrayStoreException();
                case 8:
                    throw new NumberFormatException();
                case 9:
                    throw new SecurityException();
                case 10:
                    throw new StringIndexOutOfBoundsException();
                case 11:
                    throw new ArrayIndexOutOfBoundsException();
                case 12:
                    throw new java.util.ConcurrentModificationException();
                case 13:
                    throw new java.util.NoSuchElementException();
                case 14:
                    throw new java.util.InputMismatchException();
                case 15:
                    throw new java.util.EmptyStackException();
                case 16:
                    throw new java.nio.BufferOverflowException();
                case 17:
                    throw new java.nio.BufferUnderflowException();
                case 18:
                    throw new java.nio.ReadOnlyBufferException();
                case 19:
                    throw new java.util.concurrent.CancellationException();
                default:
                    n++;
            }
        } finally {
            lock.unlock();
        }
    }
}
