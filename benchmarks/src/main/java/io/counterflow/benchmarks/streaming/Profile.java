package io.counterflow.benchmarks.streaming;

import io.counterflow.benchmarks.process.ProcessCpu;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * Where a job spends its CPU time: the CPU time of each kind of thread, from the operating system,
 * and samples of Java code by the first frame outside of the JDK. Samples do not contain native
 * code, such as RocksDB, compression and system calls.
 */
final class Profile implements AutoCloseable {

    private static final Duration PERIOD = Duration.ofMillis(10);
    private static final int ROWS = 40;

    private final Recording recording = new Recording();
    private final Map<String, Double> before;

    private Profile() {
        before = ProcessCpu.secondsByName(ProcessHandle.current());
        recording.enable("jdk.ExecutionSample").withPeriod(PERIOD);
        recording.start();
    }

    static Profile start() {
        return new Profile();
    }

    /** Stops, and prints the profile. */
    void print(String title, long decisions, PrintStream out) throws IOException {
        recording.stop();
        Map<String, Double> threads = new HashMap<>();
        ProcessCpu.secondsByName(ProcessHandle.current())
                .forEach(
                        (name, seconds) ->
                                threads.put(name, seconds - before.getOrDefault(name, 0.0)));
        Map<String, Double> packages = new HashMap<>();
        Map<String, Double> methods = new HashMap<>();
        Map<String, Double> withCalls = new HashMap<>();
        Path file = Files.createTempFile("profile", ".jfr");
        try {
            recording.dump(file);
            for (RecordedEvent sample : RecordingFile.readAllEvents(file)) {
                packages.merge(place(sample, Profile::packageOf), 1.0, Double::sum);
                methods.merge(place(sample, Profile::method), 1.0, Double::sum);
                ours(sample).forEach(it -> withCalls.merge(it, 1.0, Double::sum));
            }
        } finally {
            Files.delete(file);
        }
        out.printf("%n### %s%n", title);
        table("threads, µs of CPU time per decision", threads, 1e6 / decisions, out);
        double samples = packages.values().stream().mapToDouble(it -> it).sum();
        String of = "share of %.0f samples of Java code, in %%".formatted(samples);
        table("packages, " + of, packages, 100.0 / samples, out);
        table("methods, " + of, methods, 100.0 / samples, out);
        table("our methods with what they call, " + of, withCalls, 100.0 / samples, out);
    }

    private static void table(
            String title, Map<String, Double> values, double scale, PrintStream out) {
        out.printf("%n| %s | |%n|---|---|%n", title);
        values.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue(Comparator.reverseOrder()))
                .limit(ROWS)
                .forEach(
                        it ->
                                out.printf(
                                        Locale.ROOT,
                                        "| `%s` | %.1f |%n",
                                        it.getKey(),
                                        scale * it.getValue()));
    }

    /** The first frame that is not of the JDK, which is the code that needs the result. */
    private static String place(RecordedEvent sample, Function<RecordedFrame, String> name) {
        if (sample.getStackTrace() == null) {
            return "unknown";
        }
        List<RecordedFrame> frames = sample.getStackTrace().getFrames();
        for (RecordedFrame frame : frames) {
            String type = frame.getMethod().getType().getName();
            if (!type.startsWith("java.") && !type.startsWith("jdk.") && !type.startsWith("sun.")) {
                return name.apply(frame);
            }
        }
        return "the JDK alone";
    }

    /** Our methods on the stack. */
    private static Set<String> ours(RecordedEvent sample) {
        Set<String> methods = new HashSet<>();
        if (sample.getStackTrace() != null) {
            for (RecordedFrame frame : sample.getStackTrace().getFrames()) {
                if (frame.getMethod().getType().getName().startsWith("io.counterflow.")) {
                    methods.add(method(frame));
                }
            }
        }
        return methods;
    }

    private static String packageOf(RecordedFrame frame) {
        String type = frame.getMethod().getType().getName();
        String[] parts = type.split("\\.", -1);
        int kept = Math.min(parts.length - 1, type.startsWith("org.apache.") ? 5 : 4);
        return String.join(".", List.of(parts).subList(0, Math.max(1, kept)));
    }

    private static String method(RecordedFrame frame) {
        String type = frame.getMethod().getType().getName();
        return type.substring(type.lastIndexOf('.') + 1) + "." + frame.getMethod().getName();
    }

    @Override
    public void close() {
        recording.close();
    }
}
