package io.counterflow.core.learn;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.ExampleLoss;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.HashedModel;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class HashedLearnerTest {

    private static final int INDICES = 200;

    /** Of 2⁸ weights nearly all are visited, of 2¹⁴ few. */
    @Test
    void stepsOverAllWeightsGiveTheBitsOfStepsOverSomeOfThem() {
        float[] all = learned(8);
        float[] some = learned(14);

        assertThat(Arrays.copyOf(some, INDICES)).isEqualTo(Arrays.copyOf(all, INDICES));
        assertThat(IntStream.range(INDICES, some.length).mapToDouble(i -> some[i]))
                .allMatch(weight -> weight == 0.0);
        assertThat(IntStream.range(0, INDICES).filter(i -> all[i] != 0.0f)).hasSizeGreaterThan(150);
    }

    private static float[] learned(int bits) {
        ExampleLoss loss = Objectives.ipsLpr(0.1, 0.02).fixedLoss().orElseThrow();
        EventRandom random = new EventRandom(7);
        HashedModel start = model(bits, random);
        HashedModel centre = model(bits, random);
        Learner learner = Learner.start(start, centre, 0.02, 1.0, new AdaGrad(0.3, 1.0), 10);
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < 200; i++) {
            log.add(example(bits, random));
        }
        double[] coefficients = IntStream.range(0, log.size()).mapToDouble(log::reward).toArray();
        int[] order = IntStream.range(0, log.size()).toArray();
        for (int from = 0; from < log.size(); from += 10) {
            learner.step(log, coefficients, loss, order, from, from + 10);
        }
        return ((HashedModel) learner.model()).weights();
    }

    private static HashedModel model(int bits, EventRandom random) {
        float[] weights = new float[1 << bits];
        for (int i = 0; i < 20; i++) {
            weights[random.nextInt(INDICES)] = (float) random.nextDouble();
        }
        return new HashedModel(bits, weights);
    }

    private static LoggedExample example(int bits, EventRandom random) {
        int[] indices = new int[12];
        float[] values = new float[12];
        for (int i = 0; i < 12; i++) {
            indices[i] = random.nextInt(INDICES);
            values[i] = (float) (random.nextDouble() - 0.5);
        }
        return new LoggedExample(
                ActionFeatures.of(bits, new int[] {0, 4, 8, 12}, indices, values),
                random.nextInt(3),
                0.3,
                random.nextDouble(),
                0);
    }
}
