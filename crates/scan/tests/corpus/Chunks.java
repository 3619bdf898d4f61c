import java.io.IOException;
import java.io.InputStream;

/** Numbers that are read one after the other by methods that are named like questions. */
class Chunks {
    abstract static class ChunkReader {
        abstract int getByte() throws IOException;

        int getUInt16() throws IOException {
            return getByte() << 8 | getByte();
        }
    }

    static class StreamReader extends ChunkReader {
        private final InputStream in;

        StreamReader(InputStream in) {
            this.in = in;
        }

        int getByte() throws IOException {
            return in.read();
        }
    }

    static int kind(ChunkReader reader) throws IOException {
        if (reader.getUInt16() != 0) {
            return -1;
        }
        int kind = reader.getUInt16();
        if (kind != 1 && kind != 2) {
            return -1;
        }
        return kind;
    }
}
