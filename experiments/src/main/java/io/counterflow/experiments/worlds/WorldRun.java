package io.counterflow.experiments.worlds;

import io.counterflow.core.numeric.EventRandom;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;

/**
 * A stream of decisions in a world, in parts of equal length.
 *
 * @param kind the world
 * @param worlds creates the world of a seed
 * @param events number of events of the stream; at most those of the kind
 * @param seed seed of the world and of the decisions
 */
record WorldRun(WorldKind kind, LongFunction<World> worlds, int events, long seed) {

    /** Number of parts of a stream. */
    static final int PARTS = 40;

    private static final int REPORTED = 500; // events between two progress reports

    private record InFlight(Request request, Choice choice, double reward) {}

    /**
     * Lets an agent decide and learn.
     *
     * @param agents creates the agent of a world
     * @param steps called with numbers of events
     * @return the mean of the expected rewards in each part
     */
    double[] rewards(Function<World, Agent> agents, LongConsumer steps) {
        double[] sums = new double[PARTS];
        EventRandom random = EventRandom.named("decisions/" + seed);
        EventRandom losses = EventRandom.named("losses/" + seed);
        for (int first = 0; first < events; first += kind.eventsPerLoop()) {
            World world = world(first);
            try (Agent agent = agents.apply(world)) {
                Deque<InFlight> inFlight = new ArrayDeque<>();
                int end = Math.min(events, first + kind.eventsPerLoop());
                for (int event = first; event < end; event++) {
                    Request request = world.next();
                    Choice choice = agent.decide(request, random);
                    sums[part(event)] += request.value(choice.decision().distribution());
                    boolean rewarded =
                            request.rewards(choice.decision().action())
                                    && losses.nextDouble() >= world.missing();
                    inFlight.add(new InFlight(request, choice, rewarded ? 1.0 : 0.0));
                    if (inFlight.size() > world.delay()) {
                        InFlight next = inFlight.remove();
                        agent.learn(next.request(), next.choice(), next.reward());
                    }
                    report(event, steps);
                }
            }
        }
        return means(sums);
    }

    /** The means of uniform decisions and of the best ones. */
    double[][] references(LongConsumer steps) {
        double[] uniform = new double[PARTS];
        double[] best = new double[PARTS];
        for (int first = 0; first < events; first += kind.eventsPerLoop()) {
            World world = world(first);
            for (int event = first;
                    event < Math.min(events, first + kind.eventsPerLoop());
                    event++) {
                Request request = world.next();
                uniform[part(event)] += request.uniformValue();
                best[part(event)] += request.bestValue();
                report(event, steps);
            }
        }
        return new double[][] {means(uniform), means(best)};
    }

    private World world(int first) {
        return worlds.apply(first == 0 ? seed : seed * 1_000_003L + first);
    }

    /** The part of the stream; of a loop's own stream if there are several. */
    private int part(int event) {
        int length = Math.min(events, kind.eventsPerLoop());
        return (int) ((long) (event % length) * PARTS / length);
    }

    private double[] means(double[] sums) {
        int[] counts = new int[PARTS];
        for (int event = 0; event < events; event++) {
            counts[part(event)]++;
        }
        double[] means = new double[PARTS];
        Arrays.setAll(means, i -> sums[i] / Math.max(1, counts[i]));
        return means;
    }

    private static void report(int event, LongConsumer steps) {
        if (event % REPORTED == REPORTED - 1) {
            steps.accept(REPORTED);
        }
    }
}
