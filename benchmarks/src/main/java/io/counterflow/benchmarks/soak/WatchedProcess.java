package io.counterflow.benchmarks.soak;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a Java process on Linux uses. */
final class WatchedProcess {

    private static final Pattern USED = Pattern.compile(" used (\\d+)K");
    private static final int KILO = 1024;

    private final long pid;
    private final Series heap;
    private final Series resident;
    private final Series threads;
    private final Series files;

    WatchedProcess(String name, ProcessHandle process) {
        this.pid = process.pid();
        this.heap = new Series(name + ": heap after a collection", "MB", 8);
        this.resident = new Series(name + ": resident memory", "MB", 32);
        this.threads = new Series(name + ": threads", "count", 4);
        this.files = new Series(name + ": open files", "count", 16);
    }

    List<Series> series() {
        return List.of(heap, resident, threads, files);
    }

    void sample() throws IOException, InterruptedException {
        var unused = jcmd("GC.run");
        heap.add(heapMegabytes());
        Path proc = Path.of("/proc", Long.toString(pid));
        resident.add(status(proc, "VmRSS") / KILO);
        threads.add(status(proc, "Threads"));
        try (Stream<Path> open = Files.list(proc.resolve("fd"))) {
            files.add((double) open.count());
        }
    }

    private double heapMegabytes() throws IOException, InterruptedException {
        double kilobytes = 0;
        for (String line : jcmd("GC.heap_info").split("\n", -1)) {
            Matcher used = USED.matcher(line);
            if (used.find() && !line.contains("Metaspace") && !line.contains("class space")) {
                kilobytes += Double.parseDouble(used.group(1));
            }
        }
        return kilobytes / KILO;
    }

    private static double status(Path proc, String field) throws IOException {
        for (String line : Files.readAllLines(proc.resolve("status"))) {
            if (line.startsWith(field + ":")) {
                return Double.parseDouble(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IOException(proc + "/status has no " + field);
    }

    private String jcmd(String command) throws IOException, InterruptedException {
        Process jcmd =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                                Long.toString(pid),
                                command)
                        .redirectErrorStream(true)
                        .start();
        String output = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (jcmd.waitFor() != 0) {
            throw new IOException("jcmd " + command + ": " + output);
        }
        return output;
    }
}
