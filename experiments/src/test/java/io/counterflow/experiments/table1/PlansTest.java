package io.counterflow.experiments.table1;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.experiments.sweep.Sweep;
import io.counterflow.experiments.trial.Method;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PlansTest {

    private static final List<Method> TWICE =
            List.of(Method.IPS_LPR, Method.IPS_L2, Method.IPS_LPR);

    @Test
    void theTableTriesEachValueOnceInAscendingOrder() {
        Table1Plan plan =
                new Table1Plan(TWICE, List.of(1.0, 0.1, 1.0), List.of(2.0, 2.0), 2, 10, 20);
        assertThat(plan.methods()).containsExactly(Method.IPS_LPR, Method.IPS_L2);
        assertThat(plan.lambdas()).containsExactly(0.1, 1.0);
        assertThat(plan.varianceLambdas()).containsExactly(2.0);
    }

    @Test
    void aSweepComparesEachMethodOnce() {
        Sweep.Plan plan = new Sweep.Plan(Sweep.Axis.LAMBDA, List.of(1.0, 0.1), TWICE, 0.0, 5);
        assertThat(plan.methods()).containsExactly(Method.IPS_LPR, Method.IPS_L2);
        assertThat(plan.values()).containsExactly(0.1, 1.0);
    }
}
