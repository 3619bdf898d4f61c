/** Memory that is given back, and views of it that are not. */
class Views {
    static class Memory implements AutoCloseable {
        private static int taken;
        protected final int size;

        Memory(int size) {
            this.size = size;
            taken += size;
        }

        Memory part(int size) {
            return new Part(size);
        }

        int size() {
            return size;
        }

        @Override
        public void close() {
            free(size);
        }

        static void free(int size) {
            taken -= size;
        }

        /** Lives as long as what it is a part of. */
        private class Part extends Memory {
            Part(int size) {
                super(Math.min(size, Memory.this.size));
            }

            int rest() {
                return Memory.this.size - size;
            }
        }

        int restOf(int wanted) {
            Part part = new Part(wanted);
            return part.rest();
        }
    }

    /** Nobody else gives this one back. */
    static class Block extends Memory {
        Block(int size) {
            super(size);
        }
    }

    static int sizeOf(int wanted) {
        Block block = new Block(wanted); // expect: unclosed-resource
        return block.size();
    }
}
