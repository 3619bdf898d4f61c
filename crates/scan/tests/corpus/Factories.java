/** Factories that wrap factories, results that are none, and classes that are asked for twice. */
class Factories {
    interface Maker {
        Object make(int size) throws Exception;

        boolean isGood(Object it);
    }

    /** The only maker that is scanned: what it wraps is another one. */
    static class Guarded implements Maker {
        private final java.util.concurrent.locks.Lock lock =
                new java.util.concurrent.locks.ReentrantLock();
        private final Maker inner;

        Guarded(Maker inner) {
            this.inner = inner;
        }

        @Override
        public Object make(int size) throws Exception {
            lock.lock();
            try {
                return inner.make(size);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean isGood(Object it) {
            return inner.isGood(it);
        }
    }

    private final Maker maker;
    private volatile boolean isTesting;

    Factories(Maker maker) {
        this.maker = maker;
    }

    void setTesting(boolean on) {
        isTesting = on;
    }

    Object made() throws Exception {
        Object it;
        try {
            it = maker.make(2);
            if (isTesting && !maker.isGood(it)) {
                return null;
            }
        } finally {
            System.out.println("made");
        }
        return it;
    }

    Object sized(Object given) throws Exception {
        int size = 1;
        if (given instanceof String) {
            size = ((String) given).length();
        }
        Object first = maker.make(3);
        return first.equals(given) ? maker.make(size) : first;
    }

    /** Has a method of its own by the name of one whose result counts. */
    static final class Cells extends java.io.FilterInputStream {
        Cells(java.io.InputStream in) {
            super(in);
        }

        private void skip(int count) throws java.io.IOException {
            for (int i = 0; i < count; i++) {
                if (read() < 0) {
                    throw new java.io.EOFException();
                }
            }
        }

        int afterHeader() throws java.io.IOException {
            skip(4);
            return read();
        }

        int afterMuch() throws java.io.IOException {
            skip(4L); // expect: ignored-result
            return read();
        }
    }

    static String text(Object given) {
        String text = null;
        if (given instanceof Number) {
            text = "number";
        }
        System.out.println(given);
        if (given instanceof Number) {
            return text.trim();
        }
        return "";
    }

    static String other(Object given) {
        String text = null;
        if (given instanceof Number) {
            text = "number";
        }
        if (given instanceof String) {
            return text.trim(); // expect: null-dereference
        }
        return "";
    }

    static String again(Object given, Object next) {
        String text = null;
        if (given instanceof Number) {
            text = "number";
        }
        given = next;
        if (given instanceof Number) {
            return text.trim(); // expect: null-dereference
        }
        return "";
    }

    static boolean isKnown() {
        return System.getProperty("java.vm.vendor").indexOf("Known") >= 0;
    }

    static boolean isOwn() {
        return System.getProperty("factories.vendor").indexOf("Known") >= 0; // expect: unchecked-null-result
    }

    static void clear(Object[] cells, int from) {
        for (int i = from; i >= 0; i--) {
            if (i < cells.length) cells[i] = null; else continue;
        }
    }
}
