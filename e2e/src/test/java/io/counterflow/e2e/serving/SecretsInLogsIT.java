package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import io.counterflow.serving.auth.TokenFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.SocketException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tokens, features and ids of users in valid, invalid and hostile requests and records. None of
 * them may be in the logs of serving, of the job, or of their libraries.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
final class SecretsInLogsIT {

    /** Part of each secret text. */
    private static final String SECRET = "zq7Secret";

    /** Digits of each secret number. */
    private static final String DIGITS = "731904";

    private static final String NUMBER = "0." + DIGITS + "62";
    private static final String TOKEN = SECRET + "-token-of-the-app";
    private static final String LOOP = "/v1/loops/logged";
    private static final String USER = SECRET + " user@example.com";
    private static final String FEATURES =
            "{\"user\":{\"name\":\"%s\",\"%s\":\"x\",\"age\":%s}}".formatted(USER, SECRET, NUMBER);
    private static final String ACTIONS =
            "[{\"id\":\"%s-a\",\"features\":{\"topic\":\"%s\"}},{\"id\":\"%s-b\"}]"
                    .formatted(SECRET, SECRET, SECRET);

    @TempDir private Path directory;

    private static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String rank(String eventId) {
        return "{\"eventId\":\"%s\",\"context\":{\"features\":%s},\"actions\":%s}"
                .formatted(eventId, FEATURES, ACTIONS);
    }

    @Test
    void noLogHasTokensOrWhatIsKnownOfUsers(SharedKafka kafka, EmbeddedFlink flink)
            throws Exception {
        Path tokens = Files.writeString(directory.resolve("tokens"), tokens(TOKEN));
        String settings =
                """
                serving.personalizer-loop: logged
                serving.tokens-file: %s
                serving.max-body-size: 20kb
                kafka.client.sasl.jaas.config: org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="%s";
                """
                        .formatted(tokens, SECRET);
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream err = System.err;
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try (CapturedLog log = CapturedLog.to(directory.resolve("all.log"))) {
            RunningJob job = RunningJob.start(kafka, flink, directory.resolve("storage"));
            String logged;
            try (RunningServing serving = RunningServing.start(kafka, settings)) {
                assertThat(send(serving, "PUT", LOOP, spec()).statusCode()).isEqualTo(201);
                decide(serving, SECRET + "-event");
                sendInvalid(serving);
                sendBroken(serving.process().port());
                sendPoison(kafka, serving);
                awaitPoisonRead(serving);
                spoilTokens(serving, tokens);
                logged = serving.log();
            } finally {
                job.stop();
            }
            assertThat(logged)
                    .contains("started", "kafka-connected", "record-refused", "tokens-unusable")
                    .doesNotContain("request-failed", "following-failed");
            assertThat(log.text()).as("what is logged by default, and more").contains("INFO");
            requireNoSecret("serving", logged);
            requireNoSecret("Flink, Kafka and other libraries", log.text());
        } finally {
            System.setErr(err);
        }
        requireNoSecret("standard error", printed.toString(StandardCharsets.UTF_8));
    }

    private static String tokens(String token) {
        return "app rank,reward,read,events,admin sha256:%s\n".formatted(TokenFile.hash(token));
    }

    private static String spec() {
        return "{\"bits\":10,\"attributionWindow\":\"1s\",\"explorationFloor\":0.1}";
    }

    private static HttpResponse<String> send(
            RunningServing serving, String method, String path, String body) throws Exception {
        return serving.send(
                serving.request(path)
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .header("authorization", "Bearer " + TOKEN)
                        .header("cookie", "session=" + SECRET)
                        .header("referer", "http://localhost/" + SECRET)
                        .header("user-agent", SECRET)
                        .build());
    }

    private static void decide(RunningServing serving, String eventId) throws Exception {
        HttpResponse<String> answer = send(serving, "POST", LOOP + "/rank", rank(eventId));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        String reward = "{\"value\":%s,\"rewardId\":\"%s\"}".formatted(NUMBER, eventId + "-r");
        String event = LOOP + "/events/" + eventId;
        assertThat(send(serving, "POST", event + "/reward", reward).statusCode()).isEqualTo(202);
        assertThat(send(serving, "POST", event + "/activate", "").statusCode()).isEqualTo(202);
        assertThat(send(serving, "GET", event, "").body()).contains(SECRET);
    }

    private static void sendInvalid(RunningServing serving) throws Exception {
        String valid = rank(SECRET + "-invalid");
        List<String> bodies =
                new ArrayList<>(
                        List.of(
                                "\"" + SECRET,
                                SECRET,
                                "{\"%s\":%s}".formatted(SECRET, NUMBER),
                                "{\"eventId\":[\"%s\"]}".formatted(SECRET),
                                valid.replace("\"age\"", "\"name\""), // twice
                                valid.replace(NUMBER, "1e999"),
                                valid.replace(NUMBER, "\"\\ud800" + SECRET + "\""),
                                valid.replace(NUMBER, "[" + SECRET + "]"),
                                valid.replace("-b\"", "-a\""), // the same action twice
                                valid + SECRET,
                                valid.replace("\"x\"", "\"" + SECRET.repeat(3_000) + "\""),
                                "{\"value\":\"%s\"}".formatted(SECRET),
                                "{\"value\":%s1}".formatted(DIGITS),
                                "{\"value\":1,\"time\":\"%s\"}".formatted(SECRET),
                                "{\"value\":1,\"metric\":\"%s\"}".formatted(SECRET),
                                "{\"action\":\"%s\"}".formatted(SECRET),
                                "{\"bits\":\"%s\"}".formatted(SECRET)));
        for (int cut = 20; cut < valid.length(); cut += 40) {
            bodies.add(valid.substring(0, cut));
        }
        for (String path :
                List.of(
                        LOOP + "/rank",
                        LOOP + "/rank-slots",
                        LOOP + "/events/" + SECRET + "/reward",
                        LOOP + "/rollout",
                        "/v1/loops/" + SECRET + "/rank",
                        "/v1/loops/%2F" + SECRET + "/rank",
                        "/personalizer/v1.0/rank",
                        "/personalizer/v1.0/multislot/rank",
                        "/personalizer/v1.0/events/" + SECRET + "/reward")) {
            for (String body : bodies) {
                HttpResponse<String> answer = send(serving, "POST", path, body);
                assertThat(answer.statusCode()).as(path + body).isBetween(200, 499);
            }
        }
        for (String path :
                List.of(
                        "/" + SECRET,
                        "/v1/loops/" + SECRET,
                        "/v1/loops?search=" + SECRET + "&limit=" + SECRET,
                        LOOP + "/policies/" + SECRET,
                        LOOP + "/events/" + SECRET + "-unknown")) {
            assertThat(send(serving, "GET", path, "").statusCode()).isBetween(200, 499);
            HttpRequest unknown =
                    serving.request(path).header("authorization", "Bearer " + SECRET).build();
            assertThat(serving.send(unknown).statusCode()).isIn(401, 404);
        }
        assertThat(send(serving, "PUT", LOOP, "{\"bits\":\"" + SECRET + "\"}").statusCode())
                .isEqualTo(400);
    }

    /** What is no HTTP at all, cut off, or has malformed heads. */
    private static void sendBroken(int port) throws IOException {
        String head = "POST " + LOOP + "/rank HTTP/1.1\r\nHost: localhost\r\n";
        String token = "Authorization: Bearer " + TOKEN + "\r\n";
        for (String bytes :
                List.of(
                        SECRET,
                        SECRET + "\r\n\r\n",
                        "GET /" + SECRET + "\r\n\r\n",
                        "GET /" + SECRET + " HTTP/9.9\r\n\r\n",
                        "GET /" + SECRET.repeat(600) + " HTTP/1.1\r\n\r\n",
                        head + "X-" + SECRET + " : x\r\n\r\n",
                        head + token + "X: " + SECRET + "\u0000\r\n\r\n",
                        head + token + SECRET + "\r\n\r\n",
                        head + token + "X: " + SECRET.repeat(1_000) + "\r\n\r\n",
                        head + token + "Content-Length: " + SECRET + "\r\n\r\n",
                        head + token + "Transfer-Encoding: " + SECRET + "\r\n\r\n",
                        head + token + "Transfer-Encoding: chunked\r\n\r\n" + SECRET + "\r\n",
                        head + token + "Host: " + SECRET + "\r\n\r\n",
                        head + token + "Origin: http://" + SECRET + "\r\n\r\n",
                        head + token + "traceparent: " + SECRET + "\r\n\r\n",
                        head + token + "Content-Length: 90\r\n\r\n{\"" + SECRET,
                        "\u0016\u0003\u0001" + SECRET)) {
            try (PipelinedConnection connection = new PipelinedConnection(port)) {
                connection.send(latin(bytes));
                connection.end();
                assertThat(connection.start()).doesNotContain("HTTP/1.1 5");
            } catch (SocketException e) { // refused before all was sent
                assertThat(bytes).hasSizeGreaterThan(1_000);
            }
        }
    }

    /** Records with secrets, damaged at many places, on all topics that job and serving read. */
    private static void sendPoison(SharedKafka kafka, RunningServing serving) throws Exception {
        List<byte[]> values = new ArrayList<>(List.of(latin(SECRET), new byte[0]));
        for (Topic topic : List.of(Topic.IMPRESSIONS, Topic.REWARDS)) {
            for (byte[] record : secretRecords(serving, topic)) {
                values.add(record);
                for (int at = 2; at < record.length; at += 7) {
                    values.add(Arrays.copyOf(record, at));
                    byte[] damaged = record.clone();
                    damaged[at] ^= (byte) 0xA5;
                    values.add(damaged);
                }
            }
        }
        try (var producer =
                new KafkaProducer<>(
                        kafka.config().properties(),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (Topic topic :
                    List.of(
                            Topic.IMPRESSIONS,
                            Topic.REWARDS,
                            Topic.LOOPS,
                            Topic.ROLLOUT_COMMANDS,
                            Topic.ROLLOUTS,
                            Topic.POLICY_SNAPSHOTS,
                            Topic.IPS_STATS,
                            Topic.LOOP_COUNTS)) {
                for (byte[] value : values) {
                    for (String key : List.of(USER, USER + "@1", SECRET + "/@spec")) {
                        var unused =
                                producer.send(
                                        new ProducerRecord<>(
                                                kafka.topics().name(topic), latin(key), value));
                    }
                }
            }
        }
    }

    private static List<byte[]> secretRecords(RunningServing serving, Topic topic) {
        List<byte[]> found = new ArrayList<>();
        try (TopicReader reader = new TopicReader(serving.config().kafka())) {
            reader.read(
                    serving.config().topics().name(topic),
                    record -> {
                        byte[] value = record.value();
                        if (value != null
                                && new String(value, StandardCharsets.ISO_8859_1)
                                        .contains(SECRET + "-event")) {
                            found.add(value);
                        }
                    });
        }
        assertThat(found).as("records on %s", topic).isNotEmpty();
        return found;
    }

    /** A later decision is learned from, so the job has read all records before it. */
    private static void awaitPoisonRead(RunningServing serving) throws Exception {
        decide(serving, "last");
        RunningServing.await(
                "the last example",
                () ->
                        serving.records(Topic.JOURNAL, JournalRecord.class).stream()
                                .filter(it -> it.getKind() == JournalKindRecord.EXAMPLE)
                                .anyMatch(
                                        it ->
                                                StandardCharsets.UTF_8
                                                        .decode(it.getRecord().duplicate())
                                                        .toString()
                                                        .contains("last")));
        RunningServing.await(
                "dead letters of all topics",
                () ->
                        serving.records(Topic.DEAD_LETTERS, DeadLetterRecord.class).stream()
                                .map(it -> it.getTopic().substring(it.getTopic().indexOf('.') + 1))
                                .collect(Collectors.toSet())
                                .containsAll(
                                        Set.of(
                                                "impressions",
                                                "rewards",
                                                "loops",
                                                "rollout-commands")));
        for (String kind : List.of("a spec", "a rollout", "a snapshot")) {
            RunningServing.await(kind, () -> serving.log().contains("refused " + kind));
        }
        assertThat(serving.records(Topic.DEAD_LETTERS, DeadLetterRecord.class))
                .extracting(DeadLetterRecord::getReason)
                .noneMatch(it -> it.contains(SECRET) || it.contains(DIGITS))
                .doesNotContain("QUARANTINED");
    }

    /** The mistakes of somebody who edits the file: tokens instead of their hashes. */
    private void spoilTokens(RunningServing serving, Path tokens) throws Exception {
        Path next = Files.writeString(directory.resolve("next"), tokens(TOKEN) + "app2 " + TOKEN);
        Files.move(next, tokens, StandardCopyOption.ATOMIC_MOVE);
        RunningServing.await(
                "the file to be refused", () -> serving.log().contains("tokens-unusable"));
    }

    /** Also as some libraries show bytes that they do not understand. */
    private static void requireNoSecret(String where, String log) {
        byte[] secret = latin(SECRET);
        List<String> shown =
                new ArrayList<>(
                        List.of(
                                SECRET.toLowerCase(Locale.ROOT),
                                DIGITS,
                                HexFormat.of().formatHex(secret),
                                HexFormat.ofDelimiter(" ").formatHex(secret),
                                HexFormat.ofDelimiter(":").formatHex(secret),
                                Arrays.toString(secret).replaceAll("[\\[\\]]", "")));
        for (int before = 0; before < 3; before++) { // bytes, in what is encoded
            byte[] bytes = new byte[before + secret.length];
            System.arraycopy(secret, 0, bytes, before, secret.length);
            String base64 = Base64.getEncoder().withoutPadding().encodeToString(bytes);
            int first = (8 * before + 5) / 6; // character that depends on the secret only
            shown.add(base64.substring(first, bytes.length * 8 / 6).toLowerCase(Locale.ROOT));
        }
        for (String line : log.split("\n", -1)) {
            String lower = line.toLowerCase(Locale.ROOT);
            assertThat(shown).as("%s: %s", where, line).noneMatch(lower::contains);
        }
    }
}
