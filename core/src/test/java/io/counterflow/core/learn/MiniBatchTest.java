package io.counterflow.core.learn;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.policy.AllowedActions;
import org.junit.jupiter.api.Test;

final class MiniBatchTest {

    private static final FeatureVector DENSE = DenseVector.of(1.0f, 2.0f);
    private static final FeatureVector SPARSE =
            new SparseVector(2, new int[] {1}, new float[] {3.0f});

    private static ExampleLog logOf(FeatureVector... contexts) {
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < contexts.length; i++) {
            log.add(new LoggedExample(contexts[i], i, 1.0 / (i + 1), 1.0, 0));
        }
        return log;
    }

    @Test
    void takesTheExamplesWithACoefficientInTheirOrder() {
        MiniBatch batch = new MiniBatch(3);
        batch.take(new double[] {0.5, 0.0, -2.0, 4.0}, new int[] {1, 3, 0, 2}, 1, 4);
        assertThat(batch.count()).isEqualTo(3);
        assertThat(batch.isFull()).isTrue();
        assertThat(batch.fetch(logOf(DENSE, DENSE, DENSE, DENSE))).isTrue();
        assertThat(new int[] {batch.position(0), batch.position(1), batch.position(2)})
                .containsExactly(3, 0, 2);
        assertThat(new int[] {batch.action(0), batch.action(1), batch.action(2)})
                .containsExactly(3, 0, 2);
        assertThat(batch.coefficient(2)).isEqualTo(-2.0);
        assertThat(batch.propensity(0)).isEqualTo(0.25);
    }

    @Test
    void whatWasAllowedIsThatOfTheLogFetchedLast() {
        AllowedActions some = AllowedActions.allBut(0);
        ExampleLog restricted = new ExampleLog();
        restricted.add(new LoggedExample(DENSE, 1, 0.5, 1.0, 0));
        restricted.add(new LoggedExample(DENSE, some, 1, 0.5, 1.0, 0));
        MiniBatch batch = new MiniBatch(2);
        batch.add(1);
        batch.add(0);
        batch.fetch(restricted);
        assertThat(batch.allowed(0)).isEqualTo(some);
        assertThat(batch.allowed(1)).isEqualTo(AllowedActions.ALL);
        batch.fetch(logOf(DENSE, DENSE));
        assertThat(batch.allowed(0)).isEqualTo(AllowedActions.ALL);
    }

    @Test
    void aFullBatchMayEndWithExamplesThatAreNotTaken() {
        MiniBatch batch = new MiniBatch(3);
        batch.take(new double[] {1.0, 0.0, 0.0}, new int[] {0, 1, 2}, 0, 3);
        assertThat(batch.count()).isEqualTo(1);
        batch.take(new double[] {0.0, 0.0, 0.0}, new int[] {0, 1, 2}, 0, 3);
        assertThat(batch.count()).isZero();
        assertThat(batch.fetch(logOf(DENSE, DENSE, DENSE))).as("nothing is not dense").isTrue();
    }

    @Test
    void oneSparseContextMakesTheBatchSparse() {
        MiniBatch batch = new MiniBatch(2);
        batch.add(0);
        batch.add(1);
        assertThat(batch.fetch(logOf(DENSE, SPARSE))).isFalse();
        batch.clear();
        batch.add(0);
        assertThat(batch.count()).isEqualTo(1);
        assertThat(batch.fetch(logOf(DENSE, SPARSE))).isTrue();
    }
}
