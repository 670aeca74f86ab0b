package io.counterflow.cli.streaming;

import io.counterflow.cli.embedded.DirectoryLock;
import io.counterflow.flink.config.JobConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** Keeps the state of a job on this machine for one process. */
public final class StateLock implements AutoCloseable {

    private static final String FILE = "job.lock";

    private final Optional<DirectoryLock> lock;

    private StateLock(Optional<DirectoryLock> lock) {
        this.lock = lock;
    }

    /**
     * Takes the directory of a job's state. A directory that is not on this machine is not locked.
     *
     * @throws io.counterflow.cli.console.BadInputException if another job uses it
     */
    public static StateLock take(JobConfig config) throws IOException {
        URI checkpoints =
                new org.apache.flink.core.fs.Path(config.run().checkpoints().directory()).toUri();
        if (!"file".equals(checkpoints.getScheme())) {
            return new StateLock(Optional.empty());
        }
        Path state = Path.of(checkpoints.getPath()).resolveSibling("");
        return new StateLock(
                Optional.of(
                        DirectoryLock.take(
                                state,
                                FILE,
                                "another job with job.name %s uses %s; stop it, or set another storage.directory and kafka.topic-prefix for this one"
                                        .formatted(config.name(), state))));
    }

    @Override
    public void close() throws IOException {
        if (lock.isPresent()) {
            lock.get().close();
        }
    }
}
