package io.counterflow.experiments.gate;

import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * The lower bound on the difference of a candidate and the active version in one stream, until the
 * candidate is promoted.
 *
 * @param gain relative gain of the candidate
 * @param examples numbers of examples. Copied.
 * @param bounds the bound after each of them. Copied.
 */
record GatePath(double gain, long seed, List<Integer> examples, List<Double> bounds) {

    private static final double RATE = 0.05;
    private static final double[] GAINS = {0.2, -0.05};
    private static final int PATHS = 5;
    private static final int EXAMPLES = 6_000;
    private static final int STEP = 50;

    GatePath {
        examples = List.copyOf(examples);
        bounds = List.copyOf(bounds);
    }

    /** A few paths of a better and of a worse candidate, at most one for each stream. */
    static List<GatePath> of(int streams) {
        List<GatePath> paths = new ArrayList<>();
        for (double gain : GAINS) {
            for (long seed = 0; seed < Math.min(streams, PATHS); seed++) {
                paths.add(of(gain, seed));
            }
        }
        return paths;
    }

    private static GatePath of(double gain, long seed) {
        GateWorld world = new GateWorld(RATE, seed);
        LoopSpec.Builder spec =
                GateStream.spec()
                        .set(LoopSettings.CANARY_SHARE, 0.0)
                        .set(LoopSettings.CANDIDATE_EXAMPLES, EXAMPLES + 1L); // one comparison
        GateStream stream = new GateStream(world, world.start(), spec, 0, ~seed);
        stream.compare(world.modelWithGain(gain));
        List<Integer> examples = new ArrayList<>();
        List<Double> bounds = new ArrayList<>();
        for (int event = 1; event <= EXAMPLES && stream.decidedAt().isEmpty(); event++) {
            stream.next();
            if (event % STEP == 0 || stream.decidedAt().isPresent()) {
                examples.add(event);
                bounds.add(stream.differenceBound().orElseThrow());
            }
        }
        return new GatePath(gain, seed, examples, bounds);
    }

    int lastExample() {
        return examples.get(examples.size() - 1);
    }

    double lastBound() {
        return bounds.get(bounds.size() - 1);
    }
}
