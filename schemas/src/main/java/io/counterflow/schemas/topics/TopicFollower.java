package io.counterflow.schemas.topics;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Follows topics on a daemon thread. After a failure of Kafka or of the handler it logs the
 * failure, waits a second, and calls the handler again with a new reader.
 */
public final class TopicFollower implements AutoCloseable {

    private static final Duration BACKOFF = Duration.ofSeconds(1);
    private static final Duration IDLE = Duration.ofMillis(500);
    private static final Duration MAX_STOP = Duration.ofSeconds(10);

    private final Source source;
    private final Handler handler;
    private final Consumer<String> log;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);

    /**
     * How the topics are read.
     *
     * @param settings further settings of the Kafka consumer
     * @param needed whether anything should be read now; while it is false, no consumer is open
     */
    public record Source(
            String name, KafkaConfig kafka, Map<String, String> settings, BooleanSupplier needed) {

        /** Reads all the time. */
        public static Source of(String name, KafkaConfig kafka) {
            return new Source(name, kafka, Map.of(), () -> true);
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
        while (!isClosed()) {
            if (!source.needed().getAsBoolean()) {
                pause(IDLE);
                continue;
            }
            try (TopicReader reader =
                    new TopicReader(
                            source.kafka(),
                            source.settings(),
                            () -> !isClosed() && source.needed().getAsBoolean())) {
                handler.follow(reader);
            } catch (RuntimeException e) { // from Kafka or the handler; neither may end the thread
                if (!isClosed()) {
                    log.accept("%s failed, retrying: %s".formatted(source.name(), e));
                    pause(BACKOFF);
                }
            }
        }
    }

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
