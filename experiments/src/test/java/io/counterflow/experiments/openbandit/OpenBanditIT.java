package io.counterflow.experiments.openbandit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.numeric.EventRandom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Thompson sampler, and estimates on the Open Bandit Dataset where it is on this machine. */
final class OpenBanditIT {

    private static final Path DATA = Path.of("../../shared/data/open-bandit");
    private static final int DRAWS = 20_000;

    @TempDir private Path dir;

    private double[][] probabilities(String alpha, String beta) throws IOException {
        Path file = dir.resolve("prior.yaml");
        Files.writeString(file, "men:\n  alpha: %s\n  beta: %s\n".formatted(alpha, beta));
        return ThompsonPolicy.read(file, "men").probabilities(DRAWS, new EventRandom(5));
    }

    @Test
    void anItemIsAtAPositionAsOftenAsItsDrawHasThatRank() throws IOException {
        // P(A > B) = 3/4 for Beta(3, 1) against Beta(1, 1); the third item is never larger.
        double[][] found = probabilities("[3, 1, 1]", "[1, 1, 1e9]");
        double error = 5.0 * Math.sqrt(0.75 * 0.25 / DRAWS);
        assertThat(found[0][0]).isCloseTo(0.75, within(error));
        assertThat(found[0][1]).isCloseTo(0.25, within(error));
        assertThat(found[1][0]).isCloseTo(0.25, within(error));
        assertThat(found[2][2]).isEqualTo(1.0);
        for (double[] position : found) {
            assertThat(Arrays.stream(position).sum()).isCloseTo(1.0, within(1e-12));
        }
    }

    @Test
    void refusesParametersThatDoNotFit() {
        assertThatThrownBy(() -> probabilities("[1, 1, 1]", "[1, 1]"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("as many alphas as betas");
        assertThatThrownBy(() -> probabilities("[1, 0, 1]", "[1, 1, 1]"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("men.alpha[1] must be in [1, 1e9], got 0");
        assertThatThrownBy(() -> probabilities("[]", "[]")).hasMessageContaining("men must have");
    }

    /** Computed by another program from the same files. */
    @Test
    void agreesWithAnotherProgram() throws IOException {
        assumeThat(DATA).as("skipped: the Open Bandit Dataset is not on this machine").exists();

        List<OpenBanditRow> rows = new OpenBanditEstimates(DATA, dir, 100_000, 1).rows("men");

        assertThat(value(rows, "bts", "ips")).isCloseTo(0.004534, within(5e-5));
        assertThat(value(rows, "bts", "selfNormalized")).isCloseTo(0.004604, within(5e-5));
        assertThat(value(rows, "random", "ips")).isCloseTo(0.003009, within(1e-6));
        assertThat(value(rows, "random", "selfNormalized")).isCloseTo(0.003189, within(1e-6));
        for (OpenBanditRow row : rows) {
            row.guaranteed().ifPresent(it -> assertThat(it.contains(row.published())).isTrue());
        }
    }

    private static double value(List<OpenBanditRow> rows, String policy, String estimator) {
        return rows.stream()
                .filter(it -> it.policy().equals(policy) && it.estimator().equals(estimator))
                .findFirst()
                .orElseThrow()
                .value();
    }
}
