package io.counterflow.core.loop;

import io.counterflow.core.learn.AdaGrad;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What changing a loop's spec while it runs amounts to, field by field.
 *
 * <p>Hot is what only concerns what is still to come. A change of what the parameters were learned
 * for, or of what had to be fixed before the data, needs the generation's examples to be learned
 * anew. Another shape is another loop.
 *
 * @param fields every field that changed, in the order of the spec
 */
public record SpecChange(List<Field> fields) {

    /** What a change amounts to; the later, the harder. */
    public enum Verdict {
        /** Takes effect from the next example on. */
        HOT,
        /** The generation must be learned anew under the changed spec. */
        NEEDS_REPLAY,
        /** The loop cannot be changed so. */
        REFUSED
    }

    /** One field that changed, and why its verdict is what it is. */
    public record Field(String name, Verdict verdict, String reason) {

        @Override
        public String toString() {
            return name + ": " + reason;
        }
    }

    public SpecChange {
        fields = List.copyOf(fields);
    }

    /** Compares two specs. */
    public static SpecChange classify(LearnerSpec before, LearnerSpec after) {
        Comparison changed = new Comparison();
        changed.field(
                "shape",
                shape(before),
                shape(after),
                Verdict.REFUSED,
                "examples and parameters have the old shape; make a new loop");
        StreamObjective from = before.objective();
        StreamObjective to = after.objective();
        String mixed = "the parameters were learned for another objective";
        changed.field("objective", from.kind(), to.kind(), Verdict.NEEDS_REPLAY, mixed);
        changed.field("lambda", from.lambda(), to.lambda(), Verdict.NEEDS_REPLAY, mixed);
        changed.field(
                "propensityFloor",
                from.propensityFloor(),
                to.propensityFloor(),
                Verdict.NEEDS_REPLAY,
                to.lossHasFloor()
                        ? "it belongs to the objective, and the bound needs it fixed before the"
                                + " data"
                        : "the bound needs it fixed before the data");
        boolean learnedFor = to.kind() == StreamObjective.Kind.LS_LPR;
        changed.field(
                "smoothing",
                from.smoothing(),
                to.smoothing(),
                learnedFor ? Verdict.NEEDS_REPLAY : Verdict.HOT,
                learnedFor ? mixed : "only estimates use it");
        AdaGrad step = before.optimizer();
        AdaGrad nextStep = after.optimizer();
        String steps = "later steps use it";
        changed.hot("learningRate", step.learningRate(), nextStep.learningRate(), steps);
        changed.hot("adaGradSmoothing", step.smoothing(), nextStep.smoothing(), steps);
        MiniBatches batches = before.batches();
        MiniBatches nextBatches = after.batches();
        changed.hot("batchSize", batches.size(), nextBatches.size(), steps);
        changed.hot("replay", batches.replay(), nextBatches.replay(), steps);
        String newest = "the most recent examples are kept";
        changed.hot(
                "bufferCapacity", batches.bufferCapacity(), nextBatches.bufferCapacity(), newest);
        changed.hot("bufferBytes", batches.bufferBytes(), nextBatches.bufferBytes(), newest);
        changed.hot("seed", batches.seed(), nextBatches.seed(), "later draws use it");
        String next = "the next candidate is frozen by it";
        SnapshotCadence cadence = before.snapshots();
        SnapshotCadence nextCadence = after.snapshots();
        changed.hot("snapshotExamples", cadence.everyExamples(), nextCadence.everyExamples(), next);
        changed.hot("snapshotIntervalMs", cadence.everyMs(), nextCadence.everyMs(), next);
        changed.hot("delta", before.delta(), after.delta(), "later certificates are stated at it");
        changed.field(
                "priorVariance",
                before.priorVariance(),
                after.priorVariance(),
                Verdict.NEEDS_REPLAY,
                "the prior must be fixed before the data it is used with");
        return new SpecChange(changed.fields);
    }

    private static List<Object> shape(LearnerSpec spec) {
        // Kind, weights and biases tell shapes apart: K actions of d features have K d and K.
        return List.of(
                spec.shape().getClass(), spec.shape().weightCount(), spec.shape().biasCount());
    }

    /** The hardest verdict of all fields; hot where nothing changed. */
    public Verdict verdict() {
        return fields.stream().map(Field::verdict).max(Verdict::compareTo).orElse(Verdict.HOT);
    }

    @Override
    public String toString() {
        return fields.stream().map(Field::toString).collect(Collectors.joining("; "));
    }

    private static final class Comparison {
        private final List<Field> fields = new ArrayList<>();

        void hot(String name, Object before, Object after, String reason) {
            field(name, before, after, Verdict.HOT, reason);
        }

        void field(String name, Object before, Object after, Verdict verdict, String reason) {
            if (!Objects.equals(before, after)) {
                fields.add(new Field(name, verdict, reason));
            }
        }
    }
}
