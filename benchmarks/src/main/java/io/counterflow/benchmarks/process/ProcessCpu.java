package io.counterflow.benchmarks.process;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The CPU time of a process and of its threads. */
public final class ProcessCpu {

    private static final double SECONDS_PER_TICK = 0.01;
    private static final String COMPILER = "CN Compiler";

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private ProcessCpu() {}

    /**
     * The CPU time of this process without its JIT compiler, which has finished in a job that runs
     * for long.
     */
    public static double seconds() {
        return 1e-9 * PROCESS.getProcessCpuTime() - compilerSeconds(ProcessHandle.current());
    }

    /** The same of another process of this user. */
    public static double seconds(ProcessHandle process) {
        return 1e-9 * process.info().totalCpuDuration().orElseThrow().toNanos()
                - compilerSeconds(process);
    }

    /** The CPU time of the JIT compiler; 0 if this is not Linux. */
    public static double compilerSeconds(ProcessHandle process) {
        return secondsByName(process).entrySet().stream()
                .filter(it -> it.getKey().startsWith(COMPILER))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    /** The CPU time of all threads by name, without numbers; empty if this is not Linux. */
    public static Map<String, Double> secondsByName(ProcessHandle process) {
        Path tasks = Path.of("/proc", Long.toString(process.pid()), "task");
        Map<String, Double> seconds = new HashMap<>();
        if (Files.isDirectory(tasks)) {
            try (Stream<Path> threads = Files.list(tasks)) {
                threads.forEach(thread -> add(thread.resolve("stat"), seconds));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return seconds;
    }

    private static void add(Path file, Map<String, Double> seconds) {
        String stat;
        try {
            stat = Files.readString(file);
        } catch (IOException e) { // the thread has ended
            return;
        }
        int end = stat.lastIndexOf(')');
        String name = stat.substring(stat.indexOf('(') + 1, end).replaceAll("[0-9#]+", "N");
        String[] rest = stat.substring(end + 2).split(" ", -1);
        double ticks = Double.parseDouble(rest[11]) + Double.parseDouble(rest[12]);
        seconds.merge(name, SECONDS_PER_TICK * ticks, Double::sum);
    }
}
