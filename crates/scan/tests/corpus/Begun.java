/** What is begun and ended by helpers that look up whom to ask each time. */
class Begun {
    interface Guard {
        void beginRead();

        void endRead();
    }

    enum None implements Guard {
        INSTANCE {
            @Override
            public void beginRead() {
                // Nothing to do.
            }

            @Override
            public void endRead() {
                // Nothing to do.
            }
        }
    }

    static final class Real implements Guard {
        private final java.util.concurrent.locks.ReadWriteLock lock =
                new java.util.concurrent.locks.ReentrantReadWriteLock();

        @Override
        public void beginRead() {
            lock.readLock().lock();
        }

        @Override
        public void endRead() {
            lock.readLock().unlock();
        }
    }

    private volatile Guard guard;
    private String name;

    Guard getGuard() {
        Guard own = guard;
        return own != null ? own : None.INSTANCE;
    }

    void setGuard(Guard guard) {
        this.guard = guard;
    }

    protected void beginRead(boolean fast) {
        getGuard().beginRead();
    }

    protected void endRead() {
        getGuard().endRead();
    }

    String getName() {
        beginRead(false);
        try {
            return name;
        } finally {
            endRead();
        }
    }

    int half(Guard other) {
        other.beginRead(); // expect: begin-without-end
        if (name == null) {
            return 0;
        }
        other.endRead();
        return 1;
    }

    static class Checked extends Begun {
        private boolean current;

        @Override
        protected void beginRead(boolean fast) {
            boolean done = false;
            do {
                super.beginRead(fast);
                if (current) {
                    done = true;
                } else {
                    super.endRead();
                    current = true;
                }
            } while (!done);
        }
    }
}
