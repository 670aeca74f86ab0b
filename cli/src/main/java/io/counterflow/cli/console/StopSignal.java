package io.counterflow.cli.console;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A request to stop, by Ctrl-C or {@code kill}. The program stops in its own order; a second
 * request ends the process at once.
 *
 * <p>This is not a shutdown hook, because Flink's hooks run at the same time and delete the files
 * of a job that must still be stopped with a savepoint.
 */
public final class StopSignal {

    /** A duration longer than any run. */
    public static final Duration NEVER = Duration.ofDays(36_500);

    /** A process that a signal ends has this exit code and the number of the signal. */
    private static final int KILLED = 128;

    private final CountDownLatch requested = new CountDownLatch(1);
    private volatile int exitCode;

    /**
     * Handles the signals INT and TERM from now on. A JVM that does not allow this, as with {@code
     * -Xrs}, ends at once, and the next start continues from the newest checkpoint.
     */
    public static StopSignal install() {
        StopSignal signal = new StopSignal();
        signal.handle("INT", KILLED + 2);
        signal.handle("TERM", KILLED + 15);
        return signal;
    }

    /** Uses reflection, because the compiler warning about these classes cannot be suppressed. */
    private void handle(String name, int code) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler request =
                    (proxy, method, args) -> {
                        if (method.getName().equals("handle")) {
                            request(code);
                        }
                        return null;
                    };
            Object proxy =
                    Proxy.newProxyInstance(
                            StopSignal.class.getClassLoader(), new Class<?>[] {handler}, request);
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
        } catch (ReflectiveOperationException e) {
            // Without a handler the signal ends this process at once, which is allowed.
        }
    }

    private void request(int code) {
        if (requested.getCount() == 0) {
            Runtime.getRuntime().halt(code);
        }
        exitCode = code;
        requested.countDown();
    }

    /** Waits for a request to stop; returns whether there was one within this time. */
    public boolean await(Duration atMost) throws InterruptedException {
        return requested.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    public boolean isSet() {
        return requested.getCount() == 0;
    }

    /** The exit code of a process that the signal has ended before it was done; 0 without one. */
    public int exitCode() {
        return exitCode;
    }
}
