package io.counterflow.e2e.shared;

import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/** The consumers and the threads of this process. */
record OpenResources(Set<String> consumers, Set<Thread> threads) {

    /**
     * Threads that nobody can stop: of the JDK and its HTTP client, of JUnit, of the metrics
     * library of the broker, and of Flink's client.
     */
    private static final Pattern UNSTOPPABLE =
            Pattern.compile(
                    "HttpClient-.*|Cleaner-\\d+|Common-Cleaner|process reaper.*|ForkJoinPool.*"
                            + "|junit-jupiter-timeout-watcher|metrics-meter-tick-thread-.*"
                            + "|(Flink)?CompletableFutureDelayScheduler.*");

    /** Kafka registers an MBean for each open consumer. Other clients have a thread. */
    private static final String CONSUMERS = "kafka.consumer:type=app-info,id=*";

    static OpenResources now() throws MalformedObjectNameException {
        Set<String> consumers =
                ManagementFactory.getPlatformMBeanServer()
                        .queryNames(new ObjectName(CONSUMERS), null)
                        .stream()
                        .map(ObjectName::getCanonicalName)
                        .collect(Collectors.toSet());
        return new OpenResources(consumers, Thread.getAllStackTraces().keySet());
    }

    /** The names of those that were not open before. */
    Set<String> since(OpenResources before) {
        Set<String> names = new TreeSet<>(consumers);
        names.removeAll(before.consumers);
        for (Thread thread : threads) {
            if (!before.threads.contains(thread) && mustEnd(thread)) {
                names.add("thread " + thread.getName());
            }
        }
        return names;
    }

    private static boolean mustEnd(Thread thread) {
        return thread.isAlive()
                && !SharedProcesses.isShared(thread)
                && !isAdminOfSink(thread)
                && !UNSTOPPABLE.matcher(thread.getName()).matches();
    }

    /** The exactly-once writer of Flink's Kafka connector does not close its admin client. */
    private static boolean isAdminOfSink(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group != null
                && group.getName().equals("Flink Task Threads")
                && thread.getName().startsWith("kafka-admin-client-thread");
    }
}
