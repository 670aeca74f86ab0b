package io.counterflow.core.loop;

import static io.counterflow.core.loop.SpecChange.Verdict.HOT;
import static io.counterflow.core.loop.SpecChange.Verdict.NEEDS_REPLAY;
import static io.counterflow.core.loop.SpecChange.Verdict.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class SpecChangeTest {

    private static final LearnerSpec SPEC = Specs.dense();

    static Stream<Arguments> changes() {
        return Stream.of(
                arguments("shape", Specs.of(DenseModel.zeros(4, 4)), REFUSED),
                arguments("shape", Specs.of(DenseModel.zeros(3, 4)), REFUSED),
                arguments("shape", Specs.of(HashedModel.zeros(4)), REFUSED),
                arguments("objective", Specs.with(SPEC, StreamObjective.Kind.IPS_L2), NEEDS_REPLAY),
                arguments("lambda", objective(1e-3, 0.01, 0.05), NEEDS_REPLAY),
                arguments("propensityFloor", objective(1e-4, 0.02, 0.05), NEEDS_REPLAY),
                arguments("smoothing", objective(1e-4, 0.01, 0.1), HOT),
                arguments("learningRate", Specs.with(SPEC, new AdaGrad(0.1, 1)), HOT),
                arguments("adaGradSmoothing", Specs.with(SPEC, new AdaGrad(0.5, 2)), HOT),
                arguments("batchSize", Specs.with(SPEC, new MiniBatches(20, 2, 50, 7)), HOT),
                arguments("replay", Specs.with(SPEC, new MiniBatches(10, 0, 50, 7)), HOT),
                arguments("bufferCapacity", Specs.with(SPEC, new MiniBatches(10, 2, 9999, 7)), HOT),
                arguments("bufferBytes", SPEC.withBufferBytes(1_000), HOT),
                arguments("seed", Specs.with(SPEC, new MiniBatches(10, 2, 50, 8)), HOT),
                arguments("snapshotExamples", Specs.with(SPEC, new SnapshotCadence(1, 0)), HOT),
                arguments("snapshotIntervalMs", Specs.with(SPEC, new SnapshotCadence(40, 1)), HOT),
                arguments("delta", Specs.with(SPEC, 0.1, 1.0), HOT),
                arguments("priorVariance", Specs.with(SPEC, 0.05, 2.0), NEEDS_REPLAY));
    }

    private static LearnerSpec objective(double lambda, double floor, double smoothing) {
        return Specs.with(
                SPEC, new StreamObjective(StreamObjective.Kind.IPS_LPR, lambda, floor, smoothing));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void everyFieldHasItsVerdict(String field, LearnerSpec after, SpecChange.Verdict verdict) {
        SpecChange change = SpecChange.classify(SPEC, after);
        assertThat(change.fields()).extracting(SpecChange.Field::name).containsExactly(field);
        assertThat(change.verdict()).isEqualTo(verdict);
        assertThat(change.fields().get(0).reason()).isNotEmpty();
    }

    @Test
    void noChangeIsHot() {
        assertThat(SpecChange.classify(SPEC, Specs.dense()).verdict()).isEqualTo(HOT);
        assertThat(SpecChange.classify(SPEC, Specs.dense()).fields()).isEmpty();
    }

    @Test
    void theHardestFieldDecides() {
        LearnerSpec both =
                Specs.with(Specs.with(SPEC, StreamObjective.Kind.IPS_L2), new AdaGrad(0.1, 1.0));
        assertThat(SpecChange.classify(SPEC, both).verdict()).isEqualTo(NEEDS_REPLAY);
    }

    @ParameterizedTest
    @CsvSource({"IPS_LPR, true", "WNLL_LPR, true", "LS_LPR, false", "TRUST_LPR, false"})
    void theFloorIsPartOfTheObjectiveOnlyWhereItsLossHasOne(
            StreamObjective.Kind kind, boolean partOfIt) {
        LearnerSpec before = Specs.with(SPEC, kind);
        LearnerSpec after = Specs.with(SPEC, new StreamObjective(kind, 1e-4, 0.02, 0.05));
        SpecChange change = SpecChange.classify(before, after);
        assertThat(change.verdict()).isEqualTo(NEEDS_REPLAY);
        assertThat(change.toString().contains("belongs to the objective")).isEqualTo(partOfIt);
    }

    @Test
    void theSmoothingOfTheLossNeedsReplay() {
        LearnerSpec before = Specs.with(SPEC, StreamObjective.Kind.LS_LPR);
        LearnerSpec after =
                Specs.with(SPEC, new StreamObjective(StreamObjective.Kind.LS_LPR, 1e-4, 0.01, 0.1));
        assertThat(SpecChange.classify(before, after).verdict()).isEqualTo(NEEDS_REPLAY);
    }

    @Test
    void poemIsRefusedInAStream() {
        assertThat(StreamObjective.Kind.named("ls-lpr")).isEqualTo(StreamObjective.Kind.LS_LPR);
        for (StreamObjective.Kind kind : StreamObjective.Kind.values()) {
            assertThat(new StreamObjective(kind, 1e-4, 0.01, 0.05).objective().name())
                    .isEqualTo(kind.label());
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StreamObjective.Kind.named("poem-l2"))
                .withMessage(
                        "objective must be one that a stream can learn (ips-lpr, ips-l2, wnll-lpr,"
                                + " ls-lpr, trust-lpr), got \"poem-l2\"; the variance in POEM needs passes"
                                + " over a whole sample: train it offline");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StreamObjective.Kind.named("x"))
                .withMessageEndingWith("got \"x\"");
    }

    @Test
    void aBufferHoldsAtLeastAMiniBatch() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MiniBatches(10, 0, 9, 1))
                .withMessage("bufferCapacity must be at least the mini-batch's size 10, got 9");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MiniBatches(10, 0, 10, 1, 0))
                .withMessage("bufferBytes must be at least 1, got 0");
    }
}
