package io.counterflow.experiments.table1;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.experiments.trial.Method;
import java.util.List;
import org.junit.jupiter.api.Test;

final class Table1PlanTest {

    @Test
    void theTableTriesEachValueOnceInAscendingOrder() {
        List<Method> methods = List.of(Method.IPS_LPR, Method.IPS_L2, Method.IPS_LPR);
        Table1Plan plan =
                new Table1Plan(methods, List.of(1.0, 0.1, 1.0), List.of(2.0, 2.0), 2, 10, 20);
        assertThat(plan.methods()).containsExactly(Method.IPS_LPR, Method.IPS_L2);
        assertThat(plan.lambdas()).containsExactly(0.1, 1.0);
        assertThat(plan.varianceLambdas()).containsExactly(2.0);
    }
}
