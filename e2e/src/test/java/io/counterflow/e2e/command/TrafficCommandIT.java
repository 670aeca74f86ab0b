package io.counterflow.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Simulated users of a server in another process. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class TrafficCommandIT {

    private static final String TOKEN = "a-long-random-text-of-a-test-0123456789";

    @TempDir private static Path directory;
    private static ServingProcess serving;
    private static ServingConfig config;

    @BeforeAll
    static void start(SharedKafka kafka) throws Exception {
        String hash =
                HexFormat.of()
                        .formatHex(
                                MessageDigest.getInstance("SHA-256")
                                        .digest(TOKEN.getBytes(StandardCharsets.UTF_8)));
        Path tokens =
                Files.writeString(
                        directory.resolve("tokens"),
                        "users rank,reward,admin sha256:" + hash + "\n");
        config =
                ServingConfig.parse(
                        """
                        %s
                        kafka.event-partitions: 2
                        kafka.partitions: 1
                        serving.port: 0
                        serving.management.port: 0
                        serving.tokens-file: %s
                        """
                                .formatted(kafka.settings(), tokens),
                        Map.of());
        PrintStream silent =
                new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        serving =
                ServingProcess.start(
                        config, new ServingLog(silent, Clock.systemUTC()), Clock.systemUTC());
        while (!serving.ready()) {
            Thread.onSpinWait(); // the timeout of the test ends it
        }
    }

    @AfterAll
    static void stop() {
        serving.close();
    }

    private static String url() {
        return "http://127.0.0.1:" + serving.port();
    }

    private static Path token(String token) throws Exception {
        return Files.writeString(directory.resolve("token"), token + "\n");
    }

    private static List<ImpressionRecord> impressions(String loop) {
        WireCodec<ImpressionRecord> codec = WireCodec.of(ImpressionRecord.class);
        List<ImpressionRecord> found = new ArrayList<>();
        try (TopicReader reader = new TopicReader(config.kafka())) {
            reader.read(
                    config.topics().name(Topic.IMPRESSIONS),
                    record -> {
                        if (record.value() != null && codec.accepts(record.value())) {
                            try {
                                ImpressionRecord impression = codec.decode(record.value());
                                if (impression.getLoop().equals(loop)) {
                                    found.add(impression);
                                }
                            } catch (io.counterflow.schemas.wire.UndecodableRecordException e) {
                                throw new IllegalStateException(e);
                            }
                        }
                    });
        }
        return found;
    }

    private static JsonNode traffic(String loop, String... more) throws Exception {
        List<Object> args = new ArrayList<>(List.of("traffic", "--url", url(), "--loop", loop));
        args.addAll(List.of("--token-file", token(TOKEN), "--rate", "100"));
        args.addAll(List.of(more));
        return OfflineCommands.json(args.toArray());
    }

    @Test
    void twoRunsSendDifferentVisits() throws Exception {
        JsonNode first = traffic("shop", "--duration", "1s");
        JsonNode second = traffic("shop", "--duration", "1s");
        long visits = first.get("visits").asLong() + second.get("visits").asLong();
        assertThat(first.get("visits").asLong()).isPositive();
        assertThat(second.get("visits").asLong()).isPositive();
        assertThat(first.get("failures").asLong()).isZero();
        List<ImpressionRecord> impressions = impressions("shop");
        assertThat(impressions).hasSize((int) visits);
        assertThat(impressions).extracting(ImpressionRecord::getEventId).doesNotHaveDuplicates();
    }

    @Test
    void withLoopOnlyTheLoopIsCreatedAndNoVisitsAreSent() throws Exception {
        assertThat(traffic("empty", "--loop-only").get("visits").asLong()).isZero();
        assertThat(traffic("empty", "--loop-only").get("loop").asText()).isEqualTo("empty");
        assertThat(impressions("empty")).isEmpty();
    }

    @Test
    void aWrongTokenAndAWrongAddressAreReported() throws Exception {
        OfflineCommands commands = new OfflineCommands();
        String wrong = "another-long-random-text";
        assertThat(commands.run("traffic", "--url", url(), "--token-file", token(wrong)))
                .isEqualTo(ExitCode.FAILED);
        assertThat(commands.err())
                .contains("the server refused the loop front-page: ")
                .doesNotContain(wrong);
        assertThat(commands.run("traffic", "--url", "ftp://somewhere"))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("--url: server must be like http://host:port");
        assertThat(commands.run("traffic", "--rate", "0")).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("rate must be in (0, 10000], got 0.0");
    }
}
