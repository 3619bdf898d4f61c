import java.util.List;

/** Answers that those who call have tested before they hand the object over. */
class Vouched {
    static class Page {
        private final int[] box;

        Page(int[] box) {
            this.box = box;
        }

        int[] getBox() {
            for (int side : box) {
                if (side > 0) {
                    return box;
                }
            }
            return null;
        }
    }

    static int all(List<Page> pages) {
        int sum = 0;
        for (Page page : pages) {
            if (page.getBox() == null) {
                continue;
            }
            sum += area(page) + again(page);
        }
        return sum;
    }

    private static int area(Page page) {
        return page.getBox()[0] * page.getBox()[1];
    }

    private static int again(Page page) {
        return area(page) + last(page);
    }

    private static int last(Page page) {
        return page.getBox()[2];
    }

    static class Sheet extends Page {
        Sheet(int[] box) {
            super(box);
        }

        int[] getEdge() {
            return getBox().length > 4 ? null : getBox();
        }
    }

    static int first(Sheet sheet) {
        return lonely(sheet);
    }

    private static int lonely(Sheet sheet) {
        return sheet.getEdge()[0]; // expect: null-dereference
    }

    static class Copy implements Cloneable {
        int kept;

        private Object copied() throws CloneNotSupportedException {
            Copy copy = (Copy) super.clone();
            copy.kept = 0;
            return copy;
        }

        public Object clone() {
            try {
                return copied();
            } catch (CloneNotSupportedException e) {
                return null;
            }
        }

        static Copy of(Copy given) {
            Copy copy = (Copy) given.clone();
            copy.kept = 1;
            return copy;
        }
    }

    interface Visitor {
        int visit(Page page);
    }

    static class Careful implements Visitor {
        public int visit(Page page) {
            return page == null ? 0 : 1;
        }
    }

    static class Careless implements Visitor {
        public int visit(Page page) {
            return page.box.length;
        }
    }

    static class Hasty implements Visitor {
        public int visit(Page page) {
            return page.box.length + 1; // expect: null-dereference
        }
    }

    static int none(Visitor visitor) {
        return visitor.visit(null);
    }

    static int one() {
        return new Hasty().visit(null);
    }

    /** What a list has at an index: who asks knows what was put there. */
    static class Names {
        private final List<String> names;

        Names(List<String> names) {
            this.names = names;
        }

        String getName(int at) {
            String name = names.get(at);
            if (name == null) {
                return null;
            }
            return name.trim();
        }

        String getNick(String of) {
            for (String name : names) {
                if (name.startsWith(of)) {
                    return name;
                }
            }
            return null;
        }

        int length(int at) {
            return getName(at).length();
        }

        int nick(String of) {
            return getNick(of).length(); // expect: null-dereference
        }
    }
}
