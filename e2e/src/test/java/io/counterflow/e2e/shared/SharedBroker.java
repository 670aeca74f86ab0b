package io.counterflow.e2e.shared;

import io.counterflow.cli.embedded.EmbeddedKafka;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A broker with a temporary directory, which is deleted at the end. */
final class SharedBroker implements AutoCloseable {

    private final Path directory;
    private final EmbeddedKafka kafka;
    private final AtomicInteger prefixes = new AtomicInteger();

    private SharedBroker(Path directory, EmbeddedKafka kafka) {
        this.directory = directory;
        this.kafka = kafka;
    }

    static SharedBroker start() {
        try {
            Path directory = Files.createTempDirectory("shared-kafka");
            return new SharedBroker(
                    directory, EmbeddedKafka.start(directory, EmbeddedKafka.FREE_PORT));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A topic prefix that no other call returns. */
    SharedKafka newPrefix(Class<?> test) {
        String name = test.getSimpleName().toLowerCase(Locale.ROOT);
        return new SharedKafka(kafka.bootstrapServers(), name + "-" + prefixes.incrementAndGet());
    }

    @Override
    public void close() throws IOException {
        kafka.close();
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        }
    }
}
