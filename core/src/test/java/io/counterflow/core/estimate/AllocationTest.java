package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.counterflow.core.confidence.DifferenceConfidenceSequence;
import io.counterflow.core.confidence.LowerConfidenceSequence;
import io.counterflow.core.confidence.MeanWeightBounds;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rewardmodel.CrossFittedRewardModel;
import io.counterflow.core.rewardmodel.RidgeConfig;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Methods that are called for every example allocate nothing. */
final class AllocationTest {

    private static final int CALLS = 100_000;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void addingAnExampleAllocatesNothing() {
        PolicyEvaluation evaluation = new PolicyEvaluation(0.01, 0.01);
        assertAllocatesNothing(() -> evaluation.add(0.3, 0.4, 1.0, 0.2, 0.3));
    }

    @Test
    void addingToASequenceOrAStratumAllocatesNothing() {
        LowerConfidenceSequence lower = new LowerConfidenceSequence();
        DifferenceConfidenceSequence difference = new DifferenceConfidenceSequence();
        StratifiedEstimate strata = new StratifiedEstimate();
        MeanWeightBounds weights = new MeanWeightBounds();
        assertAllocatesNothing(
                () -> {
                    lower.add(0.3);
                    difference.add(1.5, 1.0, 1.0, 0.0, 1.0);
                    strata.add(1_000_000L, 1.5, 0.3);
                    weights.add(0.3, 0.4, 10.0);
                });
    }

    @Test
    void predictingAllocatesNothing() {
        CrossFittedRewardModel model =
                CrossFittedRewardModel.fit(
                        new ExampleLog(), DenseModel.zeros(3, 5), 2, RidgeConfig.DEFAULT);
        Features dense = DenseVector.of(1.0f, 2.0f, 3.0f, 4.0f, 5.0f);
        Features sparse = new SparseVector(5, new int[] {1, 4}, new float[] {1.0f, 2.0f});
        double[] rewards = new double[3];
        assertAllocatesNothing(
                () -> {
                    model.predict(0, dense, rewards);
                    model.predict(1, sparse, rewards);
                });
    }

    private static void assertAllocatesNothing(Runnable call) {
        for (int i = 0; i < CALLS; i++) { // the first calls may load classes
            call.run();
        }
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < CALLS; i++) {
            call.run();
        }
        long bytes = THREADS.getCurrentThreadAllocatedBytes() - before;
        // Less than a hundredth of a byte per call: the measurement itself may allocate a little.
        assertThat(bytes).isLessThan(CALLS / 100);
    }
}
