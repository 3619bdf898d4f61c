import java.text.DecimalFormat;
import java.text.NumberFormat;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Handlers for what one of the calls is known to throw, and others are not. */
class Expected {
    static String grouped(String digits) {
        DecimalFormat format = null;
        try {
            format = (DecimalFormat) NumberFormat.getNumberInstance();
            format.setGroupingSize(Integer.parseInt(digits));
        } catch (NumberFormatException e) {
            format.setGroupingUsed(false);
        }
        return format.toString();
    }

    static int size(String digits) {
        String kept = null;
        try {
            int size = Integer.parseInt(digits);
            kept = digits;
            return size;
        } catch (NumberFormatException e) {
            return kept.length(); // expect: null-dereference
        }
    }

    interface Sender {
        Future<Integer> send();
    }

    static int answer(Sender sender) throws InterruptedException, ExecutionException {
        Future<Integer> sent = null;
        try {
            sent = sender.send();
            return sent.get(1, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            sent.cancel(true);
            return -1;
        }
    }
}
