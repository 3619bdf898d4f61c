import org.xml.sax.ContentHandler;
import org.xml.sax.SAXException;

/** What writes code, and begins and ends parts of itself on the way. */
class Emitter {
    private final StringBuilder out = new StringBuilder();
    private int indent;

    void startPart() {
        startLine();
        if (indent == 0) {
            endLine();
            startLine();
        }
        startBlock();
    }

    void endPart() {
        endBlock();
        endLine();
    }

    void startRow() {
        out.append('[');
    }

    void endRow() {
        out.append(']');
    }

    private void startBlock() {
        out.append('{');
        indent++;
    }

    private void endBlock() {
        indent--;
        startLine();
        out.append('}');
    }

    private void startLine() {
        for (int i = 0; i < indent; i++) {
            out.append("  ");
        }
    }

    private void endLine() {
        out.append('\n');
    }

    int size() {
        return out.length();
    }
}

class EmitterUser {
    private final Emitter emitter = new Emitter();

    void emit() {
        EmitterSteps.one(emitter);
    }

    int part() {
        emitter.startPart(); // expect: begin-without-end
        if (emitter.size() > 100) {
            return 0;
        }
        emitter.endPart();
        return emitter.size();
    }
}

class EmitterSteps {
    static void one(Emitter emitter) {
        two(emitter);
    }

    static void two(Emitter emitter) {
        three(emitter);
    }

    static void three(Emitter emitter) {
        four(emitter);
    }

    static void four(Emitter emitter) {
        five(emitter);
    }

    static void five(Emitter emitter) {
        emitter.startPart();
        emitter.endPart();
    }
}

/** Sessions that are begun by one method and ended by another. */
class EmitterSession {
    private final Emitter emitter;
    private boolean isOpen;

    EmitterSession(Emitter emitter) {
        this.emitter = emitter;
    }

    void startBody() {
        emitter.startPart();
        emitter.endPart();
        emitter.startPart();
        isOpen = true;
    }

    void endBody() {
        emitter.endPart();
        isOpen = false;
    }

    /** The row is ended by `endRow`, and not by what ends a part. */
    void row() {
        emitter.startRow();
        emitter.startPart();
        emitter.endPart();
        if (isOpen) {
            emitter.endPart();
        }
    }

    void halfRow() {
        emitter.startRow(); // expect: begin-without-end
        if (isOpen) {
            return;
        }
        emitter.endRow();
    }

    static int numbers(ContentHandler handler, String text) throws SAXException {
        try {
            handler.startDocument(); // expect: begin-without-end
            int count = Integer.parseInt(text);
            handler.endDocument();
            return count;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Nothing ends this. */
    void startFoot() {
        emitter.startPart(); // expect: begin-without-end
        if (isOpen) {
            return;
        }
        emitter.endPart();
    }
}
