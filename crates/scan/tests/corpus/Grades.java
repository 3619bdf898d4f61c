import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

public class Grades {
    record Grade(String pupil, int points) {}

    private final Map<String, List<Grade>> byPupil = new TreeMap<>();

    public int best(String pupil) {
        List<Grade> all = byPupil.get(pupil);
        if (all == null || all.isEmpty()) {
            return 0;
        }
        return all.stream().mapToInt(Grade::points).max().getAsInt();
    }

    public int count(String pupil) {
        List<Grade> all = byPupil.get(pupil);
        return all.size(); // expect: unchecked-null-result
    }

    public double average(Collection<Grade> all) {
        int sum = 0;
        int n = 0;
        Iterator<Grade> i = all.iterator();
        while (i.hasNext()) {
            sum += i.next().points();
            n++;
        }
        if (n == 0) {
            return 0;
        }
        return (double) sum / n;
    }

    public int difference(Collection<Grade> all) {
        Iterator<Grade> i = all.iterator();
        int d = 0;
        while (i.hasNext()) {
            Grade a = i.next();
            Grade b = i.next(); // expect: iterator-without-hasnext
            d += a.points() - b.points();
        }
        return d;
    }

    public String mark(int points) {
        String m;
        if (points >= 90) {
            m = "A";
        } else if (points >= 80) {
            m = "B";
        } else if (points >= 95) { // expect: decided-branch
            m = "A+";
        } else {
            m = null;
        }
        return m.toLowerCase(); // expect: null-dereference
    }

    public String markRight(int points) {
        String m = points >= 90 ? "A" : points >= 80 ? "B" : null;
        if (m != null) {
            m = m.toLowerCase();
        }
        return m;
    }

    public Map<String, Integer> read(Path p) throws IOException {
        Map<String, Integer> m = new HashMap<>();
        BufferedReader r = Files.newBufferedReader(p); // expect: unclosed-resource
        for (String l = r.readLine(); l != null; l = r.readLine()) {
            String[] parts = l.split(";");
            if (parts.length < 2) {
                throw new IOException("bad line " + l);
            }
            m.put(parts[0], Integer.parseInt(parts[1]));
        }
        r.close();
        return m;
    }

    public String firstLine(Path p) throws IOException {
        try (BufferedReader r = Files.newBufferedReader(p, StandardCharsets.UTF_8)) {
            String l = r.readLine();
            if (l == null) {
                return "";
            }
            l.trim(); // expect: ignored-result
            return l;
        }
    }

    public int ask() throws IOException {
        Reader in = new InputStreamReader(System.in);
        BufferedReader r = new BufferedReader(in);
        String l = r.readLine();
        return Integer.parseInt(l.trim()); // expect: unchecked-null-result
    }
}
