package io.counterflow.benchmarks.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs a program, possibly of another version, and exits when standard input is closed. */
public final class UntilClosed {

    private UntilClosed() {}

    /**
     * Starts a program in a process of its own.
     *
     * @param main the program's class, with a method {@code main}
     */
    public static ChildProcess start(
            String main, List<String> flags, String classPath, List<String> args)
            throws IOException {
        List<String> all = new ArrayList<>(List.of(main));
        all.addAll(args);
        return ChildProcess.start(
                UntilClosed.class, flags, classPath + File.pathSeparator + ownClasses(), all);
    }

    private static String ownClasses() {
        try {
            return new File(
                            UntilClosed.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI())
                    .getAbsolutePath();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args)
            throws ClassNotFoundException, NoSuchMethodException, IllegalAccessException {
        new Thread(UntilClosed::exitWhenClosed, "until-closed").start();
        try {
            Class.forName(args[0])
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(args[0] + " failed", e);
        }
    }

    private static void exitWhenClosed() {
        try {
            ChildProcess.awaitClose();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        System.exit(0);
    }
}
