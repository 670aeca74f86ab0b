package io.counterflow.cli.imports;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.schemas.log.LogReader;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every mutated record is imported or rejected by its line, and what is imported can be read. */
final class MutatedLogsIT {

    private static final int RECORDS = 25_000; // of each of five formats
    private static final String ALPHABET = "\"{}[],:|.-+0123456789eE \t\\'_axnu\u0000\u00ff";

    private final EventRandom random = new EventRandom(20_261_119);

    @TempDir private Path dir;

    @Test
    void dsjson() throws IOException {
        check(
                "dsjson",
                "{\"_label_cost\":-1,\"_label_probability\":0.8,\"_label_Action\":2,\"_labelIndex\":1,"
                        + "\"o\":[{\"v\":1}],\"Timestamp\":\"2021-02-04T16:31:29.2460000Z\","
                        + "\"EventId\":\"e1\",\"a\":[2,1],\"p\":[0.8,0.2],\"pdrop\":0.1,"
                        + "\"c\":{\"u\":{\"c\":\"de\",\"_x\":1},\"_multi\":[{\"_tag\":\"b\",\"j\":[{\"t\":1.5}]},"
                        + "{\"_tag\":\"a\"}]},\"VWState\":{\"m\":\"m1\"}}",
                "");
    }

    @Test
    void vowpalWabbitsText() throws IOException {
        check("vw-text", "shared |u c=de a:0.5\n'x |i b:2 c\n0:-1:0.25 |i:2 d\n", "");
    }

    @Test
    void vowpalWabbitsSimpleText() throws IOException {
        check("vw-text", "2:-0.5:0.4 1 'tag |u a b:2.5 |v c", "", "--actions", "3");
    }

    @Test
    void csv() throws IOException {
        Path mapping =
                Files.writeString(
                        dir.resolve("mapping.yaml"),
                        "{eventId: id, time: t, action: a, actions: [x, y], excluded: e,"
                                + " propensity: p, reward: r, context: {u.c: c, n: {column: n, type:"
                                + " number}}}");
        check(
                "csv",
                "e1,2026-01-01T00:00:00Z,x,y,0.5,1,\"d,\"\"e\",2.5",
                "id,t,a,e,p,r,c,n\n",
                "--mapping",
                mapping);
    }

    @Test
    void ownLines() throws IOException {
        check(
                "jsonl",
                "{\"eventId\":\"e\",\"time\":\"2026-01-01T00:00:01Z\",\"context\":{\"features\":{\"u\":"
                        + "{\"c\":\"de\",\"a\":0.3}}},\"actions\":[{\"id\":\"a\",\"features\":{\"t\":\"s\"}},"
                        + "{\"id\":\"b\"}],\"action\":0,\"propensity\":0.5,\"reward\":0.5}",
                "");
    }

    private void check(String format, String record, String header, Object... more)
            throws IOException {
        byte[] valid = record.getBytes(StandardCharsets.UTF_8);
        Path in = dir.resolve("in");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(in))) {
            out.write(header.getBytes(StandardCharsets.UTF_8));
            for (int i = 0; i < RECORDS; i++) {
                out.write(mutated(valid));
                out.write('\n');
                out.write(record.endsWith("\n") ? new byte[] {'\n'} : new byte[0]);
            }
        }
        Path log = dir.resolve("log.jsonl");
        Path rejected = dir.resolve("rejected");
        List<Object> args =
                new ArrayList<>(
                        List.of("import", "--format", format, "--in", in, "--out", log, "--quiet"));
        args.addAll(List.of("--rejected", rejected));
        args.addAll(Arrays.asList(more));

        JsonNode report = OfflineCommands.json(args.toArray());

        long imported = report.path("imported").asLong();
        assertThat(report.path("records").asLong()).isEqualTo(RECORDS);
        assertThat(imported + report.path("rejected").asLong()).isEqualTo(RECORDS);
        assertThat(imported).isBetween(RECORDS / 50L, RECORDS - RECORDS / 50L);
        assertThat(Files.readAllLines(rejected)).hasSize((int) (RECORDS - imported));
        assertThat(readable(log)).isEqualTo(imported);
    }

    private static long readable(Path log) throws IOException {
        try (LogReader reader = LogReader.open(log)) {
            reader.forEachRemaining(impression -> {});
            return reader.impressions();
        }
    }

    /** One to four changes that leave the line feeds and the first byte where they are. */
    private byte[] mutated(byte[] valid) {
        byte[] bytes = valid.clone();
        for (int n = 1 + random.nextInt(4); n > 0; n--) {
            int at = 1 + random.nextInt(bytes.length - 1);
            if (bytes[at] == '\n' || bytes[at - 1] == '\n') {
                continue;
            }
            byte other = (byte) ALPHABET.charAt(random.nextInt(ALPHABET.length()));
            switch (random.nextInt(4)) {
                case 0 -> bytes[at] = (byte) (128 + random.nextInt(128));
                case 1 -> bytes[at] = other;
                case 2 -> bytes = inserted(bytes, at, other);
                default -> bytes = removed(bytes, at);
            }
        }
        return bytes;
    }

    private static byte[] inserted(byte[] bytes, int at, byte value) {
        byte[] longer = new byte[bytes.length + 1];
        System.arraycopy(bytes, 0, longer, 0, at);
        longer[at] = value;
        System.arraycopy(bytes, at, longer, at + 1, bytes.length - at);
        return longer;
    }

    private static byte[] removed(byte[] bytes, int at) {
        byte[] shorter = new byte[bytes.length - 1];
        System.arraycopy(bytes, 0, shorter, 0, at);
        System.arraycopy(bytes, at + 1, shorter, at, shorter.length - at);
        return shorter;
    }

    @Test
    void damagedCompressedFiles() throws IOException {
        Path whole = dir.resolve("whole.jsonl.gz");
        Path lines = dir.resolve("lines");
        Files.writeString(
                lines,
                "{\"context\":{\"dense\":[1]},\"action\":0,\"propensity\":0.5,\"reward\":0.5}\n"
                        .repeat(50));
        OfflineCommands.json("import", "--format", "jsonl", "--in", lines, "--out", whole);
        byte[] bytes = Files.readAllBytes(whole);
        for (int i = 0; i < 300; i++) {
            byte[] damaged = bytes.clone();
            damaged[2 + random.nextInt(bytes.length - 2)] ^= (byte) (1 << random.nextInt(8));
            int length = random.nextInt(3) == 0 ? random.nextInt(bytes.length) : bytes.length;
            Path in = Files.write(dir.resolve("in.gz"), Arrays.copyOf(damaged, length));
            OfflineCommands commands = new OfflineCommands();

            int exit =
                    commands.run(
                            "import",
                            "--format",
                            "jsonl",
                            "--in",
                            in,
                            "--out",
                            dir.resolve("log.jsonl"));

            assertThat(exit).as(commands.err()).isIn(ExitCode.DONE, ExitCode.BAD_INPUT);
        }
    }
}
