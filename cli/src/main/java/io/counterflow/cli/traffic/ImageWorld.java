package io.counterflow.cli.traffic;

import io.counterflow.cli.data.ImageSet;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.log.Context;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.snapshot.SnapshotJson;
import io.counterflow.schemas.spec.LoopSpecJson;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/**
 * Image classification as traffic: the context is an image, the actions are its ten classes, and
 * the reward of the right class is 1. The value of a policy is its mean reward over images that are
 * spread evenly over the data set.
 *
 * <p>The loop starts with a simple policy: it prefers the class whose mean image, computed from
 * {@value #SHOWN} images, is nearest.
 */
public final class ImageWorld implements World {

    static final String LOOP = "fashion";

    /** Images per class that the starting policy is computed from. */
    private static final int SHOWN = 5;

    /** Inverse temperature of the starting policy. */
    private static final float TRUST = 12.0f;

    /** Images per true value: the standard error is half a percent. */
    private static final int JUDGED = 6_000;

    private static final float THOUSANDTHS = 1_000.0f;

    private static final String RULES =
            """
            {"actions": ["T-shirt", "trousers", "pullover", "dress", "coat", "sandal", "shirt",
             "sneaker", "bag", "boot"], "features": %d, "normBound": 1.0, "startingPolicy": %s,
             "explorationFloor": 0.15, "objective": "ls-lpr", "lambda": 0.0002, "tau": 0.01,
             "delta": 0.05, "learningRate": 1.0, "batchSize": 50, "bufferSteps":8,
             "bufferCapacity": 20000, "smoothing": 0.007,
             "learner": "lpr", "snapshotExamples": 1000, "snapshotRewards": 0,
             "attributionWindow": "5s", "rewardAggregation": "first",
             "rolloutMode": "gated", "candidateExamples": 2500}
            """;

    private final ImageSet images;
    private final LoopSpec spec;

    public ImageWorld(ImageSet images) {
        this.images = images;
        LoopSpecJson json = new LoopSpecJson(JsonLimits.defaults());
        LoopSpec plain =
                json.read(RULES.formatted(images.pixels(), "null"), LOOP, 1, Instant.EPOCH);
        String start = SnapshotJson.toJson(nearestMean(plain), true);
        this.spec = json.read(RULES.formatted(images.pixels(), start), LOOP, 1, Instant.EPOCH);
    }

    /** The scores are −TRUST ‖x − m‖² / 2, without the term that all classes share. */
    private PolicySnapshot nearestMean(LoopSpec plain) {
        float[][] weights = new float[ImageSet.CLASSES][images.pixels()];
        float[] biases = new float[ImageSet.CLASSES];
        int[] found = new int[ImageSet.CLASSES];
        for (int i = 0;
                i < images.size() && Arrays.stream(found).sum() < SHOWN * found.length;
                i++) {
            int label = images.label(i);
            if (found[label] < SHOWN) {
                found[label]++;
                float[] x = ((DenseVector) features(plain, i)).values();
                for (int p = 0; p < x.length; p++) {
                    weights[label][p] += x[p] / SHOWN;
                }
            }
        }
        for (int a = 0; a < weights.length; a++) {
            for (int p = 0; p < weights[a].length; p++) {
                biases[a] -= TRUST * weights[a][p] * weights[a][p] / 2;
                weights[a][p] *= TRUST;
            }
        }
        return PolicySnapshot.of(LOOP, 1, new DenseModel(weights, biases), Optional.empty());
    }

    /** An image with three decimals per pixel, which keeps requests small. */
    private Context context(int image) {
        float[] x = images.image(image);
        for (int p = 0; p < x.length; p++) {
            x[p] = Math.round(x[p] * THOUSANDTHS) / THOUSANDTHS;
        }
        return new Context.Vector(DenseVector.owning(x));
    }

    private Features features(LoopSpec of, int image) {
        return of.assembly().features(context(image), of.fixedActions());
    }

    @Override
    public LoopSpec spec() {
        return spec;
    }

    @Override
    public Visit visit(EventRandom random) {
        int image = random.nextInt(images.size());
        int label = images.label(image);
        return new Visit(context(image), action -> action == label ? 1.0 : 0.0);
    }

    @Override
    public double best() {
        return 1.0;
    }

    @Override
    public double uniform() {
        return 1.0 / ImageSet.CLASSES;
    }

    @Override
    public double valueOf(Policy policy) {
        int judged = Math.min(JUDGED, images.size());
        double[] probabilities = new double[ImageSet.CLASSES];
        double sum = 0.0;
        for (int i = 0; i < judged; i++) {
            int image = (int) ((long) i * images.size() / judged);
            policy.probabilities(features(spec, image), AllowedActions.ALL, probabilities);
            sum += probabilities[images.label(image)];
        }
        return sum / judged;
    }
}
