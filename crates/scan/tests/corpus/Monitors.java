import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** A monitor is left by the variable that it was kept in, which is used for other things later. */
class Monitors {
    private final Object socket = new Object();
    private final Object stream = new Object();
    private final List<String> names = new ArrayList<>();
    private Iterator<String> rest;

    private void ping() throws IOException {
        if (names.isEmpty()) {
            throw new IOException("nobody");
        }
    }

    private void close() {
        synchronized (stream) {
            names.clear();
        }
    }

    int dispatch(int n) {
        try {
            switch (n) {
                case 1:
                    synchronized (socket) {
                        ping();
                    }
                    for (String name : names) {
                        n += name.length();
                    }
                    break;
                default:
                    String all = names.toString();
                    n += all.length();
            }
        } catch (IOException e) {
            close();
        }
        return n;
    }

    void tell() {
        synchronized (stream) {
            synchronized (socket) {
                names.add("told");
            }
        }
    }

    /** An iterator of the program, so that its methods may write anything. */
    static class Words implements Iterator<String> {
        private int left = 3;

        @Override
        public boolean hasNext() {
            return left > 0;
        }

        @Override
        public String next() {
            left--;
            return "word";
        }
    }

    /** The iterator in the field is another one, and was asked. */
    boolean step() {
        if (rest == null) {
            rest = names.iterator();
        }
        if (!rest.hasNext()) {
            return false;
        }
        String name = rest.next();
        System.out.println(name);
        return true;
    }
}
