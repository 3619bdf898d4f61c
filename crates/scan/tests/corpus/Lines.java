import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
/** Streams over files: which must be closed, and which need not be. */
class Lines {
    long countLines(Path p) throws IOException {
        Stream<String> lines = Files.lines(p); // expect: unclosed-resource
        return lines.filter(s -> !s.isEmpty()).count();
    }
    long countLinesOk(Path p) throws IOException {
        try (Stream<String> lines = Files.lines(p)) {
            return lines.filter(s -> !s.isEmpty()).count();
        }
    }
    List<Path> entries(Path dir) throws IOException {
        List<Path> out = new ArrayList<>();
        DirectoryStream<Path> ds = Files.newDirectoryStream(dir); // allow: unclosed-resource
        for (Path p : ds) out.add(p);
        ds.close();
        return out;
    }
    List<Path> entriesOk(Path dir) throws IOException {
        try (Stream<Path> s = Files.list(dir)) { return s.collect(Collectors.toList()); }
    }
    List<String> memory(List<String> l) {
        return l.stream().map(String::trim).filter(s -> s.length() > 2).collect(Collectors.toList());
    }
    int sumOfInts(int[] a) { return Arrays.stream(a).filter(x -> x > 0).sum(); }
    Stream<String> handedOver(Path p) throws IOException { return Files.lines(p); }
    BufferedReader opened(Path p) throws IOException {
        BufferedReader r = Files.newBufferedReader(p); // expect: unclosed-resource
        if (r.readLine() == null) { r.close(); return null; }
        return r;
    }
    String firstLine(Path p) throws IOException {
        BufferedReader r = Files.newBufferedReader(p); // expect: unclosed-resource
        String s = r.readLine();
        if (s == null) return "";
        r.close();
        return s.trim();
    }
    String longest(List<String> l) {
        Optional<String> o = l.stream().max(Comparator.comparingInt(String::length));
        return o.isPresent() ? o.get() : null;
    }
}
