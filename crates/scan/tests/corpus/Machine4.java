import java.util.EnumMap;
import java.util.Map;

/** A machine of states. */
public class Machine4 {
    enum State { IDLE, RUNNING, STOPPED }

    private State state = State.IDLE;
    private final Map<State, Integer> visits = new EnumMap<>(State.class);
    private String message;

    State next(int input) {
        switch (state) {
            case IDLE:
                state = input > 0 ? State.RUNNING : State.IDLE;
                break;
            case RUNNING:
                state = input == 0 ? State.STOPPED : State.RUNNING;
                break;
            case STOPPED:
                break;
            default:
                throw new AssertionError(state);
        }
        visits.merge(state, 1, Integer::sum);
        return state;
    }

    String name(State s) {
        String n = null;
        switch (s) {
            case IDLE:
                n = "idle";
                break;
            case RUNNING:
                n = "running";
                break;
            default:
                break;
        }
        return n.toUpperCase(); // expect: null-dereference
    }

    String nameRight(State s) {
        return switch (s) {
            case IDLE -> "idle";
            case RUNNING -> "running";
            case STOPPED -> "stopped";
        };
    }

    void runAll(int[] inputs) {
        int i = 0;
        while (state != State.STOPPED && i < inputs.length) {
            next(inputs[i++]);
        }
    }

    int loopWrong(int[] inputs) {
        int i = 0;
        int sum = 0;
        while (i < inputs.length) { // expect: endless-loop
            if (inputs[i] > 0) {
                sum += inputs[i];
            }
        }
        return sum;
    }

    int loopContinue(int[] inputs) {
        int i = 0;
        int sum = 0;
        while (i < inputs.length) {
            int n = inputs[i++];
            if (n < 0) {
                continue;
            }
            sum += n;
        }
        return sum;
    }

    boolean isDone() {
        boolean done = state == State.STOPPED;
        boolean ok = message == null; // expect: unused-definition
        return done;
    }

    int code() {
        int code = 1;
        if (state == State.IDLE) {
            code = 2;
        } else if (state == State.RUNNING) {
            code = 3;
        }
        if (code == 0) { // allow: decided-branch
            throw new IllegalStateException();
        }
        return code;
    }

    void say(String m) {
        message = m;
    }

    int messageLength() {
        if (message == null) {
            say("none");
        }
        return message.length();
    }

    int messageLengthWrong() {
        if (message == null) {
            System.out.println("no message");
        }
        return message.length(); // expect: null-dereference
    }
}
