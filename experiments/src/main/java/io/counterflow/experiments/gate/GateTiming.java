package io.counterflow.experiments.gate;

import io.counterflow.core.policy.DenseModel;
import java.util.stream.IntStream;

/**
 * How many decisions the gate needs for a gain.
 *
 * @param rate mean reward of the uniform policy
 * @param gain relative gain of the candidate
 * @param streams number of streams
 * @param promoted number of streams in which the candidate was promoted
 * @param median median number of examples until then; NaN if it was promoted in less than half
 * @param nineOfTen the number of examples after which it was promoted in nine of ten streams; NaN
 *     if it was not
 */
record GateTiming(
        double rate, double gain, int streams, int promoted, double median, double nineOfTen) {

    static GateTiming of(double rate, double gain, int streams, int events) {
        int[] promoted =
                IntStream.range(0, streams)
                        .parallel()
                        .map(seed -> examples(rate, gain, events, seed))
                        .filter(at -> at >= 0)
                        .sorted()
                        .toArray();
        return new GateTiming(
                rate,
                gain,
                streams,
                promoted.length,
                quantile(promoted, streams, 0.5),
                quantile(promoted, streams, 0.9));
    }

    private static double quantile(int[] sorted, int streams, double share) {
        int rank = (int) Math.ceil(share * streams);
        return rank <= sorted.length ? sorted[rank - 1] : Double.NaN;
    }

    /** Number of examples before the promotion; −1 if there was none. */
    private static int examples(double rate, double gain, int events, long seed) {
        GateWorld world = new GateWorld(rate, seed);
        DenseModel candidate = world.modelWithGain(gain);
        GateStream stream = new GateStream(world, world.start(), GateStream.spec(), 0, ~seed);
        stream.register(candidate);
        for (int event = 0; event < events && stream.decidedAt().isEmpty(); event++) {
            stream.next();
        }
        return stream.decidedAt().orElse(-1);
    }
}
