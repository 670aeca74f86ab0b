package io.counterflow.schemas.topics;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Follows topics on a daemon thread. After a failure of Kafka or of the handler, errors of the JVM
 * included, it logs and counts the failure, waits, and calls the handler again with a new reader.
 * It waits a second after the first failure and twice as long after each further one, up to 30
 * seconds.
 */
public final class TopicFollower implements AutoCloseable {

    private static final Duration MIN_BACKOFF = Duration.ofSeconds(1);
    private static final Duration MAX_BACKOFF = Duration.ofSeconds(30);
    private static final Duration MAX_STOP = Duration.ofSeconds(10);

    private final Source source;
    private final Handler handler;
    private final Consumer<String> log;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicLong failures = new AtomicLong();

    /**
     * How the topics are read.
     *
     * @param settings further settings of the Kafka consumer
     */
    public record Source(String name, KafkaConfig kafka, Map<String, String> settings) {

        public static Source of(String name, KafkaConfig kafka) {
            return new Source(name, kafka, Map.of());
        }
    }

    /** Assigns topics to a reader, and reads them. */
    @FunctionalInterface
    public interface Handler {

        /** Reads while {@link TopicReader#isActive} is true; called again after a failure. */
        void follow(TopicReader reader);
    }

    private TopicFollower(Source source, Handler handler, Consumer<String> log) {
        this.source = source;
        this.handler = handler;
        this.log = log;
        this.thread = new Thread(this::run, source.name());
        this.thread.setDaemon(true);
    }

    /**
     * Starts the thread.
     *
     * @param log receives a message about each failure
     */
    public static TopicFollower start(Source source, Handler handler, Consumer<String> log) {
        TopicFollower follower = new TopicFollower(source, handler, log);
        follower.thread.start();
        return follower;
    }

    private void run() {
        Duration backoff = MIN_BACKOFF;
        while (!isClosed()) {
            long started = System.nanoTime();
            if (!follow()) {
                if (System.nanoTime() - started > MAX_BACKOFF.toNanos()) {
                    backoff = MIN_BACKOFF; // it worked for some time
                }
                pause(backoff);
                backoff = longer(backoff);
            }
        }
    }

    /** Returns false after a failure. */
    private boolean follow() {
        try (TopicReader reader =
                new TopicReader(source.kafka(), source.settings(), () -> !isClosed())) {
            handler.follow(reader);
            return true;
        } catch (Throwable e) { // nothing that Kafka, the handler or the JVM throws ends the thread
            if (!isClosed()) {
                failures.incrementAndGet();
                report(e);
            }
            return false;
        }
    }

    private void report(Throwable failure) {
        try {
            log.accept("%s failed, retrying: %s".formatted(source.name(), failure));
        } catch (Throwable e) { // without memory, not even the message; the failure is counted
            failures.incrementAndGet();
        }
    }

    private static Duration longer(Duration backoff) {
        Duration doubled = backoff.multipliedBy(2);
        return doubled.compareTo(MAX_BACKOFF) < 0 ? doubled : MAX_BACKOFF;
    }

    public String name() {
        return source.name();
    }

    /** How often the handler or Kafka has failed. */
    public long failures() {
        return failures.get();
    }

    /** False after {@link #close}, or if the thread has ended against expectation. */
    public boolean isRunning() {
        return !isClosed() && thread.isAlive();
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Waits for some time, or until {@link #close} is called. */
    private void pause(Duration time) {
        try {
            boolean unused = closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            closed.countDown();
        }
    }

    /** Stops reading and waits for the thread. */
    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join(MAX_STOP.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
