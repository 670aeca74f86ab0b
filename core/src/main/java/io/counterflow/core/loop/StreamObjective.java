package io.counterflow.core.loop;

import io.counterflow.core.learn.ExampleLoss;
import io.counterflow.core.learn.Objective;
import io.counterflow.core.learn.Objectives;
import io.counterflow.core.numeric.Require;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * An objective that can be learned from a stream: a mean over examples, each of which can be
 * descended when it comes.
 *
 * <p>POEM is none: the variance in it belongs to the whole sample and is majorised anew at each
 * pass over it, which a stream does not make. Neither are the objectives whose strength depends on
 * a sample size that a stream does not know beforehand.
 *
 * @param kind which one
 * @param lambda λ, strength of the regulariser
 * @param propensityFloor τ, in [1e-12, 1]: of the loss, of the truncated estimate and of the
 *     paper's bound. {@code ls-lpr} and {@code trust-lpr} have no τ in their losses
 * @param smoothing s of logarithmic smoothing, in [1e-6, 1e6]: of {@code ls-lpr} and of the
 *     smoothed estimate. A stream has no n to take 1/√n of; one over the root of the buffer's
 *     capacity is a sound choice
 */
public record StreamObjective(Kind kind, double lambda, double propensityFloor, double smoothing) {

    private static final double SMALLEST_FLOOR = 1e-12;
    private static final double LARGEST_SMOOTHING = 1e6;

    /** The objectives that can be learned from a stream. */
    public enum Kind {
        IPS_LPR("ips-lpr"),
        IPS_L2("ips-l2"),
        WNLL_LPR("wnll-lpr"),
        LS_LPR("ls-lpr"),
        TRUST_LPR("trust-lpr");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** Its name in specs and snapshots. */
        public String label() {
            return label;
        }

        /** The objective of this name. */
        public static Kind named(String name) {
            for (Kind kind : values()) {
                if (kind.label.equals(name)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException(
                    "objective must be one that a stream can learn (%s), got \"%s\"%s"
                            .formatted(
                                    Arrays.stream(values())
                                            .map(Kind::label)
                                            .collect(Collectors.joining(", ")),
                                    name,
                                    name.startsWith("poem")
                                            ? "; the variance in POEM needs passes over a whole"
                                                    + " sample: train it offline"
                                            : ""));
        }
    }

    public StreamObjective {
        Require.finiteAtLeastZero(lambda, "lambda");
        // The limits keep every gradient within the range of a float, whatever is logged.
        if (!(propensityFloor >= SMALLEST_FLOOR && propensityFloor <= 1.0)) {
            throw new IllegalArgumentException(
                    "propensityFloor must be in [1e-12, 1], got " + propensityFloor);
        }
        if (!(smoothing >= 1.0 / LARGEST_SMOOTHING && smoothing <= LARGEST_SMOOTHING)) {
            throw new IllegalArgumentException(
                    "smoothing must be in [1e-6, 1e6], got " + smoothing);
        }
    }

    /** The objective itself. */
    public Objective objective() {
        return switch (kind) {
            case IPS_LPR -> Objectives.ipsLpr(propensityFloor, lambda);
            case IPS_L2 -> Objectives.ipsL2(propensityFloor, lambda);
            case WNLL_LPR -> Objectives.wnllLpr(propensityFloor, lambda);
            case LS_LPR -> Objectives.lsLpr(smoothing, lambda);
            case TRUST_LPR -> Objectives.trustLpr(Objectives.TRUST, lambda);
        };
    }

    /** Whether τ belongs to the loss, and not only to estimates and bounds. */
    boolean lossHasFloor() {
        return kind != Kind.LS_LPR && kind != Kind.TRUST_LPR;
    }

    /** Its loss of one example. */
    ExampleLoss loss() {
        return objective()
                .fixedLoss()
                .orElseThrow(() -> new IllegalStateException(kind + " has no loss of one example"));
    }
}
