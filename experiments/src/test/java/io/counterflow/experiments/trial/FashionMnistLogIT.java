package io.counterflow.experiments.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.experiments.data.ClassificationData;
import io.counterflow.experiments.report.TestReward;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The log of the paper's experiments, created from the real images. */
final class FashionMnistLogIT {

    private static final Path FASHION_MNIST = Path.of("../../shared/data/fashion-mnist");

    @Test
    void theLoggingPolicyHasTheRewardReportedInThePaper() throws IOException {
        assumeThat(FASHION_MNIST).as("skipped: Fashion-MNIST is not on this machine").exists();
        ClassificationData data = ClassificationData.read(FASHION_MNIST);
        Trial trial = Trial.split(data, LoggingSettings.of(data.kind()), 1, 0);
        TestReward reward = TestReward.of(trial.logging(), data.test());
        assertThat(reward.stochastic()).isCloseTo(0.5123, within(0.02));
        assertThat(reward.argmax()).isCloseTo(0.7099, within(0.03));

        ExampleLog log = trial.logged(1.0).log();
        assertThat(log.size()).isEqualTo(59_000);
        double rewards = 0.0;
        double inverse = 0.0;
        for (int i = 0; i < log.size(); i++) {
            rewards += log.reward(i);
            inverse += 1.0 / log.propensity(i);
        }
        // Test reward and training reward differ only by chance, with standard deviation 0.002.
        assertThat(rewards / log.size()).isCloseTo(reward.stochastic(), within(0.015));
        // If propensities are exact, the mean of 1/p is the number of actions.
        assertThat(inverse / log.size()).isCloseTo(10.0, within(1.5));
        // The contexts are those of the data set, not copies.
        assertThat(log.features(0)).isSameAs(data.train().context(trial.context(0)));
    }
}
