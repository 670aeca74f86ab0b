package io.counterflow.experiments.table1;

import io.counterflow.experiments.data.ClassificationData;
import io.counterflow.experiments.report.TestReward;
import io.counterflow.experiments.trial.Method;
import java.util.Map;

/** The numbers of the paper's table: mean test rewards over ten trials. */
final class PaperTable {

    private static final Map<Method, TestReward> FASHION_MNIST =
            Map.of(
                    Method.LOGGING_POLICY, new TestReward(0.5123, 0.7099),
                    Method.IPS_L2, new TestReward(0.7778, 0.7890),
                    Method.POEM, new TestReward(0.8060, 0.8124),
                    Method.POEM_L2, new TestReward(0.8050, 0.8126),
                    Method.IPS_LPR, new TestReward(0.7955, 0.8154),
                    Method.WNLL_LPR, new TestReward(0.7978, 0.8305),
                    Method.IPS_LLPR, new TestReward(0.7950, 0.8153),
                    Method.WNLL_LLPR, new TestReward(0.7978, 0.8305));

    private static final Map<Method, TestReward> CIFAR_100 =
            Map.of(
                    Method.LOGGING_POLICY, new TestReward(0.3770, 0.4797),
                    Method.IPS_L2, new TestReward(0.3475, 0.3624),
                    Method.POEM, new TestReward(0.3338, 0.3392),
                    Method.POEM_L2, new TestReward(0.3486, 0.3641),
                    Method.IPS_LPR, new TestReward(0.5553, 0.6134),
                    Method.WNLL_LPR, new TestReward(0.6143, 0.6272),
                    Method.IPS_LLPR, new TestReward(0.5455, 0.6077),
                    Method.WNLL_LLPR, new TestReward(0.6143, 0.6272));

    private static final TestReward NONE = new TestReward(Double.NaN, Double.NaN);

    private PaperTable() {}

    /** The rewards of a method; NaN if the paper does not have the method. */
    static TestReward reward(ClassificationData.Kind kind, Method method) {
        Map<Method, TestReward> column =
                switch (kind) {
                    case FASHION_MNIST -> FASHION_MNIST;
                    case CIFAR_100 -> CIFAR_100;
                };
        return column.getOrDefault(method, NONE);
    }
}
