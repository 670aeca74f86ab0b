package io.counterflow.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.Counterflow;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.snapshot.SnapshotFile;
import io.counterflow.schemas.snapshot.SnapshotJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class InspectCommandIT {

    @TempDir private Path directory;

    /** The weights 1, -2, 3, -4, and so on. */
    private static PolicySnapshot hashed(int bits) {
        float[] weights = new float[1 << bits];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = i % 2 == 0 ? i + 1 : -i - 1;
        }
        return PolicySnapshot.of(
                "home", 1, new HashedModel(bits, weights), Optional.of(EncoderSpec.ofBits(bits)));
    }

    private Path file(PolicySnapshot snapshot) throws IOException {
        Path file = directory.resolve("policy.snapshot");
        SnapshotFile.write(file, snapshot);
        return file;
    }

    @Test
    void theTextHasOnlyTheLargestWeightsOfALargeModel() throws IOException {
        OfflineCommands commands = new OfflineCommands();
        assertThat(commands.run("inspect", file(hashed(14)), "--weights")).isZero();
        List<String> rows =
                commands.out().lines().filter(line -> line.startsWith("index ")).toList();
        assertThat(rows).hasSize(LargestParameters.MAX_WEIGHTS);
        assertThat(rows.get(0)).isEqualTo("index 6384     6,385");
        assertThat(rows.get(rows.size() - 1)).isEqualTo("index 16383  -16,384");
        assertThat(commands.out()).contains("not shown: 6,384 smaller weights; --json shows all");
    }

    @Test
    void theTextHasAllWeightsOfASmallModel() throws IOException {
        OfflineCommands commands = new OfflineCommands();
        assertThat(commands.run("inspect", file(hashed(3)), "--weights")).isZero();
        assertThat(commands.out())
                .contains("index 0", "index 7", "  -8")
                .doesNotContain("not shown");
    }

    @Test
    void theJsonIsThatOfTheSnapshot() throws IOException {
        PolicySnapshot snapshot = hashed(14);
        OfflineCommands commands = new OfflineCommands();
        assertThat(commands.run("inspect", file(snapshot), "--weights", "--json")).isZero();
        assertThat(commands.out()).isEqualToIgnoringNewLines(SnapshotJson.toJson(snapshot, true));
    }

    /** A map of so many weights does not fit into this heap. */
    @ParameterizedTest
    @ValueSource(strings = {"--json", "--quiet"})
    void theMemoryDoesNotGrowWithTheOutput(String form) throws Exception {
        Path out = directory.resolve("out");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx192m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Counterflow.class.getName(),
                                "inspect",
                                file(hashed(21)).toString(),
                                "--weights",
                                form)
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .start();
        boolean ended = process.waitFor(2, TimeUnit.MINUTES);
        process.destroyForcibly();
        assertThat(ended).isTrue();
        assertThat(process.exitValue())
                .as(() -> "%d bytes of output".formatted(out.toFile().length()))
                .isZero();
        assertThat(Files.size(out)).isGreaterThan(100_000);
    }
}
