package io.counterflow.experiments.gate;

import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rollout.RolloutChange;

/**
 * Promotions of loops that learn their own candidates with default settings.
 *
 * @param rate mean reward of the uniform policy, with which the loops start
 * @param loops number of loops
 * @param promotions number of promotions by the gate
 * @param worse number of promotions of a version that is worse than the active one
 * @param rollbacks number of rollbacks by the gate
 * @param start mean value at the start
 * @param end mean value at the end
 * @param best mean value of the best policy
 */
record GateLearning(
        double rate,
        int loops,
        int promotions,
        int worse,
        int rollbacks,
        double start,
        double end,
        double best) {

    private static final int DELAY = 2_000;
    private static final int RESTART_EVERY = 10_000;

    /** Runs the loops one after the other. */
    static GateLearning of(double rate, int loops, int events) {
        int promotions = 0;
        int worse = 0;
        int rollbacks = 0;
        double start = 0.0;
        double end = 0.0;
        double best = 0.0;
        for (long seed = 0; seed < loops; seed++) {
            GateWorld world = new GateWorld(rate, seed);
            GateStream stream =
                    new GateStream(
                            world,
                            DenseModel.zeros(GateWorld.ACTIONS, GateWorld.CONTEXTS),
                            GateStream.learningSpec(),
                            DELAY,
                            ~seed);
            stream.setRestarts(1.0 / RESTART_EVERY);
            double active = stream.value(GateStream.START);
            start += active / loops;
            int seen = 0;
            for (int event = 0; event < events; event++) {
                stream.next();
                for (; seen < stream.changes().size(); seen++) {
                    RolloutChange change = stream.changes().get(seen);
                    if (change.startsGeneration()) {
                        double next = stream.value(change.rollout().activeVersion());
                        boolean promoted = change.kind() == RolloutChange.Kind.PROMOTED;
                        promotions += promoted ? 1 : 0;
                        worse += promoted && next < active ? 1 : 0;
                        rollbacks += promoted ? 0 : 1;
                        active = next;
                    }
                }
            }
            end += active / loops;
            best += world.bestValue() / loops;
        }
        return new GateLearning(rate, loops, promotions, worse, rollbacks, start, end, best);
    }
}
