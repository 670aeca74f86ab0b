package io.counterflow.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.SimulatedLogs;
import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Policy;
import java.time.Instant;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Logs in memory: missing propensities and the validation split. */
final class LoadedLogTest {

    /** Every third propensity is missing. */
    private static LoadedLog log(int n) {
        ExampleLog examples = SimulatedLogs.examples(n, 5);
        BitSet missing = new BitSet();
        for (int i = 0; i < n; i += 3) {
            missing.set(i);
        }
        return new LoadedLog(
                "home",
                examples,
                missing,
                SimulatedLogs.LOGGING.zeros(),
                Optional.empty(),
                OptionalDouble.empty(),
                Instant.EPOCH,
                0);
    }

    @Test
    void missingPropensitiesAreEstimatedAndTheOthersAreKept() {
        LoadedLog log = log(50);
        LoadedLog estimated = log.withPropensitiesOf(SimulatedLogs.LOGGING.zeros());
        for (int i = 0; i < 50; i++) {
            double expected =
                    i % 3 == 0 ? 1.0 / SimulatedLogs.ACTIONS : log.examples().propensity(i);
            assertThat(estimated.examples().propensity(i)).as("%d", i).isEqualTo(expected);
            assertThat(estimated.examples().action(i)).isEqualTo(log.examples().action(i));
            assertThat(estimated.examples().reward(i)).isEqualTo(log.examples().reward(i));
        }
        assertThat(estimated.lacksPropensities()).isTrue(); // known to be estimated from here on

        double[] probabilities = new double[SimulatedLogs.ACTIONS];
        Policy.softmax(SimulatedLogs.LOGGING)
                .probabilities(log.examples().features(3), AllowedActions.ALL, probabilities);
        assertThat(log.withPropensitiesOf(SimulatedLogs.LOGGING).examples().propensity(3))
                .isEqualTo(probabilities[log.examples().action(3)]);
    }

    @Test
    void aLogWithoutPropensitiesIsRefusedWithTheirNumber() {
        assertThatThrownBy(() -> log(7).requirePropensities("do this"))
                .isInstanceOf(BadInputException.class)
                .hasMessage("the log lacks the propensity of 3 of its 7 impressions; do this");
    }

    @Test
    void aFifthIsHeldOutAndEveryExampleIsInExactlyOnePart() {
        LoadedLog log = log(5_000);
        Holdout split = Holdout.split(log, 9);
        LoadedLog held = split.validation().orElseThrow();
        // 1,000 expected, with a standard deviation of 28.
        assertThat(held.examples().size()).isBetween(1_000 - 4 * 28, 1_000 + 4 * 28);
        Set<Object> seen = new HashSet<>();
        for (LoadedLog side : List.of(split.training(), held)) {
            for (int i = 0; i < side.examples().size(); i++) {
                assertThat(seen.add(side.examples().features(i))).isTrue();
            }
        }
        assertThat(seen).hasSize(5_000);
        assertThat(
                        split.training().missingPropensities().cardinality()
                                + held.missingPropensities().cardinality())
                .isEqualTo(log.missingPropensities().cardinality());
    }

    @Test
    void theSplitKeepsTrackOfMissingPropensities() {
        LoadedLog log = log(300);
        Set<Object> missing = new HashSet<>();
        for (int i = 0; i < 300; i += 3) {
            missing.add(log.examples().features(i));
        }
        LoadedLog training = Holdout.split(log, 9).training();
        for (int i = 0; i < training.examples().size(); i++) {
            assertThat(training.missingPropensities().get(i))
                    .isEqualTo(missing.contains(training.examples().features(i)));
        }
    }

    @Test
    void theSeedDeterminesTheHeldOutExamples() {
        LoadedLog log = log(200);
        int one = Holdout.split(log, 1).training().examples().size();
        assertThat(Holdout.split(log, 1).training().examples().size()).isEqualTo(one);
        assertThat(LongStream.range(2, 10))
                .anyMatch(seed -> Holdout.split(log, seed).training().examples().size() != one);
    }

    @Test
    void aLogTooSmallToSplitIsRefused() {
        assertThatThrownBy(() -> Holdout.split(log(1), 1))
                .isInstanceOf(BadInputException.class)
                .hasMessage("--validate needs a log with more examples, got 1");
    }
}
