import java.util.*;
class Groups {
    private final Map<String, List<String>> groups = new HashMap<>();
    void add(String key, String v) {
        List<String> all = groups.get(key);
        if (all == null) {
            all = new ArrayList<>();
            groups.put(key, all);
        }
        all.add(v);
    }
    int size(String key) {
        return groups.get(key).size(); // expect: unchecked-null-result
    }
    int sizeOrNone(String key) {
        return groups.getOrDefault(key, List.of()).size();
    }
    int made(String key) {
        return groups.computeIfAbsent(key, k -> new ArrayList<>()).size();
    }
    int asked(String key) {
        if (groups.containsKey(key)) {
            return groups.get(key).size();
        }
        return 0;
    }
    int all() {
        int n = 0;
        for (String key : groups.keySet()) n += groups.get(key).size();
        return n;
    }
    String longest() {
        String best = null;
        for (List<String> row : groups.values())
            for (String it : row)
                if (best == null || it.length() > best.length()) best = it;
        return best;
    }
    int longestLength() {
        String it = longest();
        return it.length(); // expect: null-dereference
    }
    Optional<String> find(String key) {
        List<String> all = groups.get(key);
        return all == null || all.isEmpty() ? Optional.empty() : Optional.of(all.get(0));
    }
    int found(String key) {
        return find(key).map(String::length).orElse(0);
    }
    int foundOrNull(String key) {
        String it = find(key).orElse(null);
        return it.length(); // expect: unchecked-null-result
    }
}
