package io.counterflow.benchmarks.serving;

import io.counterflow.benchmarks.process.BrokerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Sends requests for decisions to serving, and to servers that do less: one that only reads the
 * request and answers, and one that also writes the same record to Kafka. Servers, broker and load
 * are processes of their own. Only results of the same run can be compared.
 */
final class ServingLoad {

    private static final List<Integer> CONNECTIONS = List.of(8, 32, 128);
    private static final List<Integer> VERSION_CONNECTIONS = List.of(32, 128);
    private static final int REQUESTS = 256;
    private static final String RANK = "rank";

    /** Of the gigabytes that are written, the last seconds are kept. */
    private static final Map<String, String> KEEP_LITTLE =
            Map.of(
                    "log.segment.bytes", "67108864",
                    "log.retention.bytes", "134217728",
                    "log.retention.check.interval.ms", "2000",
                    "log.segment.delete.delay.ms", "1000");

    private ServingLoad() {}

    /**
     * Arguments: {@code DIRECTORY ROUNDS [CLASS_PATH]}. With the class path of the command of an
     * earlier version, rank is compared with rank of that version.
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path directory = Path.of(args[0]);
        int rounds = Integer.parseInt(args[1]);
        if (args.length > 2) {
            compareVersions(directory, rounds, args[2]);
        } else {
            compareServers(directory, rounds);
        }
    }

    private static void compareVersions(Path directory, int rounds, String classPath)
            throws IOException, InterruptedException {
        try (BrokerProcess brokerNow = BrokerProcess.start(directory.resolve("now"), KEEP_LITTLE);
                BrokerProcess brokerThen =
                        BrokerProcess.start(directory.resolve("then"), KEEP_LITTLE);
                Server now = Server.serving("now", ownClassPath(), brokerNow, directory);
                Server then = Server.serving("then", classPath, brokerThen, directory)) {
            Comparison comparison =
                    new Comparison(
                            List.of(now, then),
                            List.of(new Comparison.Pair(now.name(), then.name())),
                            rounds);
            for (RequestShape shape : RequestShape.values()) {
                createLoop(now, shape);
                createLoop(then, shape);
                System.out.println(shape.words());
                comparison.run(shape.loop(), bodies(shape), VERSION_CONNECTIONS);
            }
        }
    }

    private static String ownClassPath() {
        return System.getProperty("java.class.path");
    }

    private static void createLoop(Server serving, RequestShape shape)
            throws IOException, InterruptedException {
        var unused = serving.call("PUT", Server.loopPath(shape.loop()), bytes(shape.spec()));
    }

    private static void compareServers(Path directory, int rounds)
            throws IOException, InterruptedException {
        try (BrokerProcess broker = BrokerProcess.start(directory, KEEP_LITTLE);
                Server rank = Server.serving(RANK, ownClassPath(), broker, directory)) {
            Map<RequestShape, Recording> recordings = new EnumMap<>(RequestShape.class);
            for (RequestShape shape : RequestShape.values()) {
                createLoop(rank, shape);
                recordings.put(shape, Recording.of(rank, shape.loop(), bodies(shape)));
            }
            Path file = directory.resolve("recordings");
            Recording.write(List.copyOf(recordings.values()), file);
            try (Server constant = Server.reference(ReferenceServer.Kind.CONSTANT, broker, file);
                    Server ceiling = Server.reference(ReferenceServer.Kind.CEILING, broker, file)) {
                Comparison comparison =
                        new Comparison(
                                List.of(constant, ceiling, rank),
                                List.of(
                                        new Comparison.Pair(RANK, ceiling.name()),
                                        new Comparison.Pair(RANK, constant.name())),
                                rounds);
                for (Map.Entry<RequestShape, Recording> each : recordings.entrySet()) {
                    measure(comparison, each.getKey(), each.getValue());
                }
            }
        }
    }

    private static void measure(Comparison comparison, RequestShape shape, Recording recording)
            throws IOException {
        List<byte[]> bodies = bodies(shape);
        System.out.printf(
                "%s: mean bytes of a body %d, of a record %d, of an answer %d%n",
                shape.words(),
                bodies.stream().mapToInt(it -> it.length).sum() / REQUESTS,
                recording.recordBytes(),
                recording.answerBytes());
        comparison.run(shape.loop(), bodies, CONNECTIONS);
    }

    /** The same bodies each time. */
    private static List<byte[]> bodies(RequestShape shape) {
        Random random = new Random(1);
        List<byte[]> bodies = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            bodies.add(bytes(shape.body(random)));
        }
        return bodies;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
