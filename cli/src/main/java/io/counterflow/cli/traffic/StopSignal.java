package io.counterflow.cli.traffic;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C, and what {@code kill} sends: a wish to stop, which the demo follows in its own order. The
 * second one ends the process at once.
 *
 * <p>Not a shutdown hook: Flink has hooks of its own that run at the same time and delete the files
 * of a job that is still to be stopped with a savepoint.
 */
public final class StopSignal {

    private static final int KILLED_BY_INTERRUPT = 130;

    private final CountDownLatch wished = new CountDownLatch(1);

    /**
     * Takes the signals from here on. A JVM that keeps them to itself, as with {@code -Xrs}, ends
     * by them as ever, and the next start goes on from the newest checkpoint.
     */
    public static StopSignal install() {
        StopSignal signal = new StopSignal();
        signal.handle("INT");
        signal.handle("TERM");
        return signal;
    }

    /** By reflection: the compiler warns of these classes in a way that nothing silences. */
    private boolean handle(String name) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler wish =
                    (proxy, method, args) -> {
                        if (method.getName().equals("handle")) {
                            wish();
                        }
                        return null;
                    };
            Object proxy =
                    Proxy.newProxyInstance(
                            StopSignal.class.getClassLoader(), new Class<?>[] {handler}, wish);
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    private void wish() {
        if (wished.getCount() == 0) {
            Runtime.getRuntime().halt(KILLED_BY_INTERRUPT);
        }
        wished.countDown();
    }

    /** Waits until somebody wishes to stop, but not for longer than this; whether so. */
    public boolean await(Duration atMost) throws InterruptedException {
        return wished.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Whether somebody has wished to stop. */
    public boolean isSet() {
        return wished.getCount() == 0;
    }
}
