/** What kind of thing is asked for says what else is given: `null` where nothing is looked at. */
class Kinds {
    enum Action {
        OPEN,
        CLOSE,
        LENGTH,
        NAME
    }

    private int opened;

    int act(Action action, String given) {
        switch (action) {
            case OPEN:
                opened++;
                return 0;
            case CLOSE:
                act(Action.OPEN, null);
                opened--;
                return 0;
            case LENGTH:
                return given.length();
            default:
                return 1;
        }
    }

    int compared(Action action, String given) {
        if (action == Action.OPEN) {
            return 0;
        }
        return given.length();
    }

    int right() {
        return compared(Action.OPEN, null) + act(Action.NAME, null);
    }

    int wrong(int n) {
        return wrongly(Action.LENGTH, n > 3 ? "a" : null);
    }

    private int wrongly(Action action, String given) {
        switch (action) {
            case LENGTH:
                return given.length(); // expect: null-dereference
            default:
                return 1;
        }
    }

    private final Action chosen = Action.values()[0];

    /** What is chosen by twice is chosen the same way. */
    int twice(String[] all) {
        String first = null;
        switch (chosen) {
            case OPEN:
                opened++;
                break;
            case NAME:
                first = all[0];
                break;
            default:
                throw new IllegalStateException();
        }
        System.out.println(opened);
        if (chosen == Action.NAME) {
            return first.length();
        }
        return 0;
    }

    int twiceWrongly(String[] all) {
        String first = null;
        switch (chosen) {
            case OPEN:
                first = all[0];
                break;
            case NAME:
                opened++;
                break;
            default:
                throw new IllegalStateException();
        }
        if (chosen == Action.NAME) {
            return first.length(); // expect: null-dereference
        }
        return first.length();
    }
}
