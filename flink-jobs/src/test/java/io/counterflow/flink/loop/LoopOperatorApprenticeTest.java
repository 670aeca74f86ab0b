package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.example;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.JudgedPolicyRecord;
import io.counterflow.schemas.record.PolicyEstimateRecord;
import io.counterflow.schemas.record.RolloutKindRecord;
import io.counterflow.schemas.record.RolloutModeRecord;
import io.counterflow.schemas.record.RolloutRecord;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.Test;

/** The job learns from actions that the caller shows, and publishes what they say. */
final class LoopOperatorApprenticeTest {

    private static final String LOOP = "home";
    private static final int EXAMPLES = 200;

    /** The caller shows the action with the highest coordinate; every second one is rewarded. */
    private static LoopEvent shown(int number) {
        EventRandom random = EventRandom.named("caller/" + number);
        float[] x = new float[LoopEvents.FEATURES];
        int best = 0;
        for (int j = 0; j < x.length; j++) {
            x[j] = (float) random.nextGaussian();
            best = j < LoopEvents.ACTIONS && x[j] > x[best] ? j : best;
        }
        Choice choice =
                new Choice(
                        best,
                        OptionalDouble.of(1.0),
                        PropensityKind.EXACT,
                        List.of(),
                        AllowedActions.ALL,
                        Optional.empty(),
                        false,
                        OptionalInt.of(random.nextInt(LoopEvents.ACTIONS)));
        return example(
                LOOP,
                "e-" + number,
                10L + number,
                new Context.Vector(DenseVector.owning(x)),
                choice,
                0,
                number % 2);
    }

    private static void takeShown(LoopHarness harness, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            harness.take(shown(i));
        }
    }

    private static LoopEvent apprentice() {
        return specEvent(LOOP, 1, 0, it -> it.setRolloutMode("apprentice"));
    }

    @Test
    void everyVersionBecomesActiveAndAgreesMoreWithWhatIsShown() throws Exception {
        OperatorSubtaskState state;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(apprentice());
            takeShown(harness, 0, 30);
            state = harness.snapshot();
        }
        try (LoopHarness harness =
                LoopHarness.open(LoopOperatorConfig.defaults(), new HashMapStateBackend(), state)) {
            takeShown(harness, 30, EXAMPLES);
            harness.watermark(1_000);
            List<RolloutRecord> rollouts = harness.results().of(LOOP).rollouts();
            assertThat(rollouts)
                    .hasSize(EXAMPLES / 40)
                    .allMatch(it -> it.getKind() == RolloutKindRecord.PROMOTED)
                    .allMatch(it -> it.getMode() == RolloutModeRecord.APPRENTICE);
            assertThat(harness.results().of(LOOP).snapshots())
                    .allSatisfy(it -> assertThat(it.getCertificate()).isNull());
            List<IpsWindowRecord> windows = harness.results().of(LOOP).windows();
            IpsWindowRecord window = windows.get(windows.size() - 1);
            assertThat(window.getN()).isEqualTo(EXAMPLES);
            assertThat(window.getOnPolicyMean()).isCloseTo(0.5, within(1e-12));
            assertThat(window.getAudited()).isEqualTo(EXAMPLES);
            assertThat(window.getAuditMismatches()).isZero();
            List<PolicyEstimateRecord> known = window.getEstimates();
            assertThat(known).allMatch(it -> it.getPolicy() == JudgedPolicyRecord.APPRENTICE);
            PolicyEstimateRecord newest = known.get(0);
            PolicyEstimateRecord oldest = known.get(known.size() - 1);
            assertThat(newest.getVersion()).isGreaterThan(oldest.getVersion());
            assertThat(newest.getMeanWeight()).isGreaterThan(oldest.getMeanWeight());
            assertThat(newest.getIps()).isLessThan(window.getOnPolicyMean());
        }
    }

    @Test
    void estimatesBeginWithTheDecisionsOfTheLoopItself() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(apprentice());
            takeShown(harness, 0, 20);
            harness.take(specEvent(LOOP, 2, 100, it -> it.setRolloutMode("gated")));
            for (int i = 0; i < 10; i++) {
                harness.take(example(LOOP, i, 110L + i));
            }
            takeShown(harness, 20, 30); // they arrive late
            harness.watermark(1_000);
            List<IpsWindowRecord> windows = harness.results().of(LOOP).windows();
            IpsWindowRecord window = windows.get(windows.size() - 1);
            assertThat(window.getN()).isEqualTo(40);
            assertThat(window.getAuditMismatches()).isZero();
            assertThat(window.getEstimates())
                    .filteredOn(it -> it.getPolicy() == JudgedPolicyRecord.ACTIVE)
                    .singleElement()
                    .satisfies(it -> assertThat(it.getN()).isEqualTo(10))
                    .satisfies(it -> assertThat(it.getMeanWeight()).isEqualTo(1.0));
            assertThat(window.getEstimates())
                    .filteredOn(it -> it.getPolicy() == JudgedPolicyRecord.APPRENTICE)
                    .singleElement()
                    .satisfies(it -> assertThat(it.getN()).isEqualTo(30));
        }
    }
}
