package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.example;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.schemas.record.IpsWindowRecord;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.Test;

/** How often the world has changed is part of each window, and a gauge. */
final class LoopOperatorChangesTest {

    private static final String LOOP = "home";
    private static final int BEFORE = 3_000;
    private static final int AFTER = 1_500;

    /** An action is good where its coordinate is high, and after the change where it is low. */
    private static LoopEvent visit(int number) {
        EventRandom random = EventRandom.named("changes/" + number);
        float[] x = new float[LoopEvents.FEATURES];
        for (int j = 0; j < x.length; j++) {
            x[j] = (float) random.nextGaussian();
        }
        int action = random.nextInt(LoopEvents.ACTIONS);
        boolean isBefore = number < BEFORE;
        boolean high = x[action] + 0.5 * random.nextGaussian() > 0.0;
        return example(
                LOOP,
                "e-" + number,
                10L * number,
                new Context.Vector(DenseVector.owning(x)),
                Choice.of(action, 1.0 / LoopEvents.ACTIONS),
                0,
                high == isBefore ? 1.0 : 0.0);
    }

    private static List<Long> changes(LoopHarness harness) {
        return harness.results().of(LOOP).windows().stream()
                .map(IpsWindowRecord::getChangesFound)
                .toList();
    }

    @Test
    void aChangeOfTheWorldIsInTheWindowsAfterIt() throws Exception {
        OperatorSubtaskState state;
        long found;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent(LOOP, 1, 0, spec -> spec.setLearner("reward-model")));
            for (int number = 1; number < BEFORE; number++) {
                harness.take(visit(number));
            }
            assertThat(changes(harness)).isNotEmpty().containsOnly(0L);
            assertThat(harness.gauge(LOOP, "changes_found")).isZero();
            for (int number = BEFORE; number < BEFORE + AFTER; number++) {
                harness.take(visit(number));
            }
            List<Long> all = changes(harness);
            assertThat(all).isSorted();
            found = all.get(all.size() - 1);
            assertThat(found).isPositive();
            assertThat(harness.gauge(LOOP, "changes_found")).isEqualTo((double) found);
            state = harness.snapshot();
        }
        try (LoopHarness harness =
                LoopHarness.open(LoopOperatorConfig.defaults(), new HashMapStateBackend(), state)) {
            harness.watermark(1_000_000_000);
            assertThat(changes(harness)).isNotEmpty().containsOnly(found);
        }
    }
}
