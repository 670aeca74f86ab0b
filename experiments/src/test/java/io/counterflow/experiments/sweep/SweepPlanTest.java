package io.counterflow.experiments.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.experiments.trial.Method;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SweepPlanTest {

    @Test
    void aSweepComparesEachMethodOnceInAscendingOrderOfValues() {
        List<Method> methods = List.of(Method.IPS_LPR, Method.IPS_L2, Method.IPS_LPR);
        Sweep.Plan plan = new Sweep.Plan(Sweep.Axis.LAMBDA, List.of(1.0, 0.1), methods, 0.0, 5);
        assertThat(plan.methods()).containsExactly(Method.IPS_LPR, Method.IPS_L2);
        assertThat(plan.values()).containsExactly(0.1, 1.0);
    }
}
