import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.ListIterator;
import java.util.Queue;

/** Letters, and who holds them. */
public class MailBox implements AutoCloseable {
    static class Letter {
        final String from;
        String text;
        Letter answer;

        Letter(String from) {
            this.from = from;
        }
    }

    private final Queue<Letter> letters = new LinkedList<>();
    private final List<Closeable> attachments = new ArrayList<>();
    private boolean closed;

    public synchronized void put(Letter l) {
        letters.add(l);
        notifyAll();
    }

    public synchronized Letter take() throws InterruptedException {
        while (letters.isEmpty() && !closed) {
            wait();
        }
        return letters.poll();
    }

    public synchronized Letter takeSoon() throws InterruptedException {
        if (letters.isEmpty()) {
            wait(10); // expect: wait-outside-loop
        }
        return letters.poll();
    }

    public String senders() {
        StringBuilder b = new StringBuilder();
        for (Letter l : letters) {
            if (b.length() > 0) {
                b.append(", ");
            }
            b.append(l.from);
        }
        return b.toString();
    }

    public Letter lastAnswer(Letter l) {
        Letter k = l;
        while (k.answer != null) {
            k = k.answer;
        }
        return k;
    }

    public String lastText(Letter l) {
        Letter k = l;
        while (k != null && k.text == null) {
            k = k.answer;
        }
        return k.text.trim(); // expect: null-dereference
    }

    public String lastTextRight(Letter l) {
        Letter k = l;
        while (k != null && k.text == null) {
            k = k.answer;
        }
        return k == null ? "" : k.text;
    }

    public void attach(Closeable c) {
        attachments.add(c);
    }

    @Override
    public void close() throws IOException {
        closed = true;
        for (Closeable c : attachments) {
            c.close();
        }
    }

    public static int count(List<Letter> all) {
        MailBox box = new MailBox(); // expect: unclosed-resource
        for (Letter l : all) {
            box.put(l);
        }
        return box.letters.size();
    }

    public static int countRight(List<Letter> all) throws IOException {
        try (MailBox box = new MailBox()) {
            for (Letter l : all) {
                box.put(l);
            }
            return box.letters.size();
        }
    }

    public static void swapPairs(List<Letter> all) {
        ListIterator<Letter> i = all.listIterator();
        while (i.hasNext()) {
            Letter a = i.next();
            Letter b = i.next(); // expect: iterator-without-hasnext
            i.set(a);
            System.out.println(b.from);
        }
    }

    public static String first(List<Letter> all) {
        Letter l = all.isEmpty() ? null : all.get(0);
        if (l == null) {
            return "";
        }
        return l.from;
    }

    public static String firstWrong(List<Letter> all) {
        Letter l = all.isEmpty() ? null : all.get(0);
        return l.from; // expect: null-dereference
    }
}
