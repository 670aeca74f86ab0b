package io.counterflow.experiments.streaming;

import static java.util.Objects.requireNonNullElse;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.Ranges;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.spec.LoopSettings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * Options with the settings of the stream. Several values of an option need {@code --tune}. A
 * picocli mixin.
 */
final class StreamGrid {

    @Option(
            names = "--objective",
            paramLabel = "NAME",
            split = ",",
            converter = Objective.class,
            description =
                    "ips-lpr, ips-l2, wnll-lpr, ls-lpr, trust-lpr, bcrm or bcrm-convex. Default:"
                            + " that of loop specs, which is trust-lpr; --tune tries ips-lpr and"
                            + " trust-lpr.")
    private @Nullable List<ObjectiveName> objectives;

    @Option(
            names = "--lambda",
            paramLabel = "X",
            split = ",",
            converter = Ranges.NotNegative.class,
            description = "Strength of the regulariser. Default: 1e-6.")
    private @Nullable List<Double> lambdas;

    @Option(
            names = "--batch-size",
            paramLabel = "N",
            split = ",",
            converter = Ranges.Count.class,
            description = "Fresh examples per step. Default: 100; --tune tries 50, 100 and 200.")
    private @Nullable List<Integer> batches;

    @Option(
            names = "--learning-rate",
            paramLabel = "X",
            split = ",",
            converter = Ranges.Positive.class,
            description = "AdaGrad's learning rate. Default: 1; --tune tries 0.3, 0.5 and 1.")
    private @Nullable List<Double> rates;

    @Option(
            names = "--buffer-steps",
            paramLabel = "N",
            split = ",",
            description =
                    "Additional steps on buffered examples after each step. Default: 64;"
                            + " --tune tries 32 and 64.")
    private @Nullable List<Integer> bufferSteps;

    @Option(
            names = "--floor",
            paramLabel = "X",
            split = ",",
            description =
                    "Share of uniform draws among the decisions of generations. Default: 0.05; --tune"
                            + " tries 0.05 and 0.1.")
    private @Nullable List<Double> floors;

    @Option(
            names = "--prior-variance",
            paramLabel = "X",
            split = ",",
            converter = Ranges.Positive.class,
            description = "Variance of the prior of bcrm and bcrm-convex. Default: 1.")
    private @Nullable List<Double> priorVariances;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            converter = Policy.class,
            description =
                    "How learned policies decide: softmax, or mixedLogit with the variance that"
                            + " bcrm or bcrm-convex has learned. Default: softmax.")
    private PolicyKind policy = LoopSettings.POLICY.defaultValue();

    /** All combinations of settings. Options that are not set have the values of {@code --tune}. */
    List<StreamSettings> toTry() {
        return combinations(
                List.of(ObjectiveName.IPS_LPR, ObjectiveName.TRUST_LPR),
                List.of(50, 100, 200),
                List.of(0.3, 0.5, 1.0),
                List.of(32, 64),
                List.of(0.05, 0.1));
    }

    /** The only combination. Options that are not set have the defaults of loop specs. */
    StreamSettings settings() {
        List<StreamSettings> all =
                combinations(
                        List.of(LoopSettings.OBJECTIVE_NAME.defaultValue()),
                        List.of(LoopSettings.BATCH_SIZE.defaultValue().intValue()),
                        List.of(LoopSettings.LEARNING_RATE.defaultValue()),
                        List.of(StreamSettings.BUFFER_STEPS),
                        List.of(LoopSettings.EXPLORATION_FLOOR.defaultValue()));
        if (all.size() > 1) {
            throw new BadInputException(
                    "several values of an option need --tune, got %d combinations"
                            .formatted(all.size()));
        }
        return all.get(0);
    }

    private List<StreamSettings> combinations(
            List<ObjectiveName> defaultObjectives,
            List<Integer> defaultBatches,
            List<Double> defaultRates,
            List<Integer> defaultBufferSteps,
            List<Double> defaultFloors) {
        List<Double> variances =
                requireNonNullElse(
                        priorVariances, List.of(LoopSettings.PRIOR_VARIANCE.defaultValue()));
        List<StreamSettings> all = new ArrayList<>();
        for (ObjectiveName objective : requireNonNullElse(objectives, defaultObjectives)) {
            for (double lambda :
                    requireNonNullElse(lambdas, List.of(LoopSettings.LAMBDA.defaultValue()))) {
                for (int batch : requireNonNullElse(batches, defaultBatches)) {
                    for (double rate : requireNonNullElse(rates, defaultRates)) {
                        for (int steps : requireNonNullElse(bufferSteps, defaultBufferSteps)) {
                            for (double floor : requireNonNullElse(floors, defaultFloors)) {
                                for (double variance : variances) {
                                    all.add(
                                            new StreamSettings(
                                                    objective, lambda, batch, rate, steps, floor,
                                                    variance, policy));
                                }
                            }
                        }
                    }
                }
            }
        }
        return all;
    }

    /** Converts the name of a decision rule. */
    static final class Policy implements ITypeConverter<PolicyKind> {
        @Override
        public PolicyKind convert(String text) {
            try {
                return LoopSettings.POLICY.constant(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }

    /** Converts the name of an objective that the streaming learner supports. */
    static final class Objective implements ITypeConverter<ObjectiveName> {
        @Override
        public ObjectiveName convert(String text) {
            try {
                return LoopSettings.OBJECTIVE_NAME.constant(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }
}
