import java.util.Arrays;
import java.util.stream.IntStream;

/** Numbers in rows and columns. */
public class Matrix3 {
    private final double[][] cells;
    private final int rows, columns;

    public Matrix3(int rows, int columns) {
        this.rows = rows;
        this.columns = columns;
        cells = new double[rows][columns];
    }

    public double trace() {
        double sum = 0;
        for (int i = 0; i < Math.min(rows, columns); i++) {
            sum += cells[i][i];
        }
        return sum;
    }

    public Matrix3 times(Matrix3 other) {
        Matrix3 m = new Matrix3(rows, other.columns);
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < other.columns; j++) {
                double sum = 0;
                for (int k = 0; k < columns; k++) {
                    sum += cells[i][k] * other.cells[k][j];
                }
                m.cells[i][j] = sum;
            }
        }
        return m;
    }

    public int firstNegativeRow() {
        int found = -1;
        for (int i = 0; i < rows && found < 0; i++) {
            for (double d : cells[i]) {
                if (d < 0) {
                    found = i;
                }
            }
        }
        return found;
    }

    public double maximum() {
        double best = Double.NEGATIVE_INFINITY;
        double second = best; // expect: unused-definition
        for (double[] row : cells) {
            best = Math.max(best, Arrays.stream(row).max().orElse(best));
        }
        return best;
    }

    public void fill(double value) {
        int i = 0;
        while (i < rows) {
            Arrays.fill(cells[i], value);
            i++;
        }
    }

    public void fillForEver(double value) {
        int i = 0;
        int j = 0;
        while (i < 8) { // expect: endless-loop
            System.out.println(value * j);
            j++;
        }
    }

    public int scale(int n) {
        int factor = n * 2; // expect: unused-definition
        factor = n * 3;
        return factor;
    }

    public int sign(int n) {
        int s = 0;
        if (n > 0) {
            s = 1;
        } else if (n < 0) {
            s = -1;
        }
        return s;
    }

    public String sizeName(int n) {
        if (n < 10) {
            return "small";
        }
        if (n < 5) { // expect: decided-branch
            return "tiny";
        }
        return "large";
    }

    public String sizeNameRight(int n) {
        if (n < 5) {
            return "tiny";
        }
        if (n < 10) {
            return "small";
        }
        return "large";
    }

    public int[] diagonal() {
        return IntStream.range(0, rows).map(i -> (int) cells[i][i]).toArray();
    }

    public double average() {
        int count = 0;
        double sum = 0;
        for (double[] row : cells) {
            for (double d : row) {
                sum += d;
                count++;
            }
        }
        return count == 0 ? 0 : sum / count;
    }
}
