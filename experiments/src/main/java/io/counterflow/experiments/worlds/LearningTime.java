package io.counterflow.experiments.worlds;

import io.counterflow.core.numeric.EventRandom;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * CPU time of a learner for each example: all that happens between an example and a policy, such as
 * steps, comparisons and freezing, without decisions and features.
 *
 * @param kind the world
 * @param contestant the learner
 * @param microseconds the median of some turns
 */
record LearningTime(WorldKind kind, Contestant contestant, double microseconds) {

    private static final int TURNS = 3;

    private record Decided(Request request, Choice choice, double reward) {}

    /**
     * Measures in turns, after one that is not counted. The decisions are those of a new agent,
     * which are uniform where there is no starting policy.
     *
     * @param world a world without delays
     * @param events number of examples of a turn
     */
    static LearningTime of(WorldKind kind, Contestant contestant, World world, int events) {
        List<Decided> log = new ArrayList<>(events);
        EventRandom random = new EventRandom(1);
        try (Agent first = contestant.agent(world)) {
            for (int i = 0; i < events; i++) {
                Request request = world.next();
                Choice choice = first.decide(request, random);
                boolean rewarded = request.rewards(choice.decision().action());
                log.add(new Decided(request, choice, rewarded ? 1.0 : 0.0));
            }
        }
        double[] times = new double[TURNS];
        for (int turn = -1; turn < TURNS; turn++) {
            try (Agent agent = contestant.agent(world)) {
                double time = time(agent, log);
                if (turn >= 0) {
                    times[turn] = time;
                }
            }
        }
        Arrays.sort(times);
        return new LearningTime(kind, contestant, times[TURNS / 2] / events);
    }

    private static double time(Agent agent, List<Decided> log) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();
        for (Decided decided : log) {
            agent.learn(decided.request(), decided.choice(), decided.reward());
        }
        return (threads.getCurrentThreadCpuTime() - before) / 1_000.0;
    }
}
