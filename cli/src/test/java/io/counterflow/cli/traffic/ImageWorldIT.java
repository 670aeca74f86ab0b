package io.counterflow.cli.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.counterflow.cli.data.ImageSet;
import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Policy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ImageWorldIT {

    private static final Path FASHION_MNIST = Path.of("../../shared/data/fashion-mnist");
    private static final int VISITS = 4_000;

    @Test
    void theValueOfAPolicyIsTheMeanRewardOfItsImages() throws IOException {
        assumeThat(FASHION_MNIST).as("skipped: Fashion-MNIST is not on this machine").exists();
        ImageWorld world = new ImageWorld(ImageSet.read(FASHION_MNIST, ImageSet.Part.TRAIN));
        Policy first = world.spec().policyOf(world.spec().startingModel());
        double value = world.valueOf(first);
        FeatureAssembly assembly = world.spec().assembly();
        EventRandom random = new EventRandom(3);
        int right = 0;
        for (int i = 0; i < VISITS; i++) {
            World.Visit visit = world.visit(random);
            int action =
                    first.decide(
                                    assembly.features(visit.context(), List.of()),
                                    AllowedActions.ALL,
                                    random)
                            .action();
            right += visit.rewardProbability().applyAsDouble(action) == 1.0 ? 1 : 0;
        }
        // Both are means over drawn images: the played ones and the judged ones.
        double error = Math.sqrt(value * (1 - value) * (1.0 / VISITS + 1.0 / 6_000));
        assertThat((double) right / VISITS).isCloseTo(value, within(4.0 * error));
        assertThat(value).isGreaterThan(2 * world.uniform()).isLessThan(0.5);
    }
}
