package io.counterflow.experiments.worlds;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.experiments.data.LabelledSet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Training images of a data set in random order, scaled to norm 1. The class of an image is the
 * action with reward 1; others have reward 0.
 */
final class ImageWorld implements World {

    private final LabelledSet images;
    private final int classes;
    private final EventRandom random;
    private final int[] order;
    private int events;

    ImageWorld(LabelledSet images, int classes, long seed) {
        this.images = images;
        this.classes = classes;
        this.random = EventRandom.named("images/" + seed);
        this.order = IntStream.range(0, images.size()).toArray();
        for (int i = order.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int swapped = order[i];
            order[i] = order[j];
            order[j] = swapped;
        }
    }

    @Override
    public LoopSpec.Builder spec() {
        return LoopSpec.builder("world")
                .vectors(
                        images.dimension(),
                        IntStream.range(0, classes)
                                .mapToObj(Integer::toString)
                                .toArray(String[]::new));
    }

    @Override
    public Request next() {
        int at = order[events++ % order.length];
        float[] pixels = images.context(at).values();
        double norm = Math.sqrt(images.context(at).squaredNorm());
        float[] x = new float[pixels.length];
        for (int j = 0; j < x.length; j++) {
            x[j] = (float) (pixels[j] / Math.max(norm, 1e-9));
        }
        double[] rewards = new double[classes];
        rewards[images.label(at)] = 1.0;
        return new Request(
                DenseVector.owning(x),
                AllowedActions.ALL,
                rewards,
                random.nextDouble(),
                () -> lines(x));
    }

    private List<String> lines(float[] x) {
        StringBuilder shared = new StringBuilder("shared |u");
        for (int j = 0; j < x.length; j++) {
            if (x[j] != 0.0f) {
                shared.append(' ').append(j).append(':').append(x[j]);
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add(shared.toString());
        IntStream.range(0, classes).forEach(action -> lines.add("|a c" + action));
        return lines;
    }
}
