import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Users and their groups. */
public class Users5 {
    static class User {
        private final String name;
        private String mail;
        private User manager;

        User(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }

        String mail() {
            return mail;
        }

        User manager() {
            return manager;
        }

        void setMail(String mail) {
            this.mail = mail;
        }

        void setManager(User m) {
            this.manager = m;
        }
    }

    private final List<User> users = new ArrayList<>();
    private final Map<String, User> byName = new HashMap<>();

    void add(User u) {
        users.add(u);
        byName.put(u.name(), u);
    }

    Optional<User> oldest(Predicate<User> p) {
        return users.stream().filter(p).min(Comparator.comparing(User::name));
    }

    List<String> mails() {
        return users.stream().map(User::mail).filter(m -> m != null).collect(Collectors.toList());
    }

    String managerName(User u) {
        User m = u.manager();
        if (m == null) {
            return "nobody";
        }
        return m.name();
    }

    String managerMail(User u) {
        if (u.manager() != null && u.manager().mail() != null) {
            return u.manager().mail().toLowerCase();
        }
        return "";
    }

    String bossName(User u) {
        User boss = u;
        while (boss.manager() != null) {
            boss = boss.manager();
        }
        return boss.name();
    }

    User search(String prefix) {
        User best = null;
        for (User u : users) {
            if (u.name().startsWith(prefix)) {
                best = u;
                break;
            }
        }
        return best;
    }

    String searchName(String prefix) {
        return search(prefix).name(); // expect: null-dereference
    }

    String searchNameRight(String prefix) {
        User u = search(prefix);
        return u != null ? u.name() : prefix;
    }

    int compare(User a, User b) {
        if (a == null && b == null) {
            return 0;
        }
        if (a == null) {
            return -1;
        }
        if (b == null) {
            return 1;
        }
        return a.name().compareTo(b.name());
    }

    int compareWrong(User a, User b) {
        if (a == null && b == null) {
            return 0;
        }
        if (a == null) {
            return b.name().compareTo(a.name()); // expect: null-dereference
        }
        return a.name().length();
    }

    void rename(String from, String to) {
        User u = byName.remove(from);
        if (u != null) {
            byName.put(to, u);
        }
        to.concat("!"); // expect: ignored-result
    }

    void mailAll(String text) {
        for (User u : users) {
            String mail = u.mail();
            if (mail == null) {
                continue;
            }
            System.out.println(mail.trim() + ": " + text);
        }
    }

    boolean hasMail(User u) {
        return u != null && u.mail() != null;
    }

    int mailLength(User u) {
        if (hasMail(u)) {
            return u.mail().length();
        }
        return 0;
    }
}
