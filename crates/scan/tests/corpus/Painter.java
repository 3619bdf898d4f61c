import java.util.ArrayList;
import java.util.List;

/** Draws with a device that is begun and ended. */
public class Painter {
    interface Device {
        void beginPage();

        void endPage();

        void startLayer();

        void stopLayer();

        boolean isReady();

        void line(int x, int y);
    }

    private final Device device;
    private final List<int[]> points = new ArrayList<>();

    public Painter(Device device) {
        this.device = device;
    }

    public void paint() {
        device.beginPage();
        try {
            for (int[] p : points) {
                device.line(p[0], p[1]);
            }
        } finally {
            device.endPage();
        }
    }

    public boolean paintSome(int n) {
        device.beginPage(); // expect: begin-without-end
        if (n > points.size()) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            device.line(points.get(i)[0], points.get(i)[1]);
        }
        device.endPage();
        return true;
    }

    public void layers(int n) {
        for (int i = 0; i < n; i++) {
            device.startLayer();
            device.line(i, i);
            device.stopLayer();
        }
    }

    public void layersWrong(int n) {
        device.startLayer(); // expect: begin-without-end
        for (int i = 0; i < n; i++) {
            if (!device.isReady()) {
                throw new IllegalStateException("not ready");
            }
            device.line(i, i);
        }
        device.stopLayer();
    }

    public void nested(boolean layer) {
        device.beginPage();
        if (layer) {
            device.startLayer();
        }
        device.line(0, 0);
        if (layer) {
            device.stopLayer();
        }
        device.endPage();
    }

    public int[] nearest(int x) {
        int[] best = null;
        int distance = Integer.MAX_VALUE;
        for (int[] p : points) {
            int d = Math.abs(p[0] - x);
            if (d < distance) {
                distance = d;
                best = p;
            }
        }
        return best;
    }

    public int nearestY(int x) {
        return nearest(x)[1]; // expect: null-dereference
    }

    public int nearestYRight(int x) {
        int[] p = nearest(x);
        return p == null ? 0 : p[1];
    }

    public int width() {
        int min = Integer.MAX_VALUE;
        int max = Integer.MIN_VALUE;
        for (int[] p : points) {
            min = Math.min(min, p[0]);
            max = Math.max(max, p[0]);
        }
        if (points.size() < 0) { // expect: decided-branch
            return 0;
        }
        return max - min;
    }
}
