package io.counterflow.core.bound;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;
import java.util.OptionalDouble;

/**
 * A lower bound on the value of a policy as it is served, with its temperature and floor, although
 * it was learned from the same log. The certificate "learned from".
 *
 * <p>With probability at least 1 − δ, for all parameters μ and all variances of the grids at once:
 *
 * <p>V(served) ≥ (exp((Σ ln(1 + λ t<sub>i</sub>) − KL(Q‖P) − ln(J/δ))/n) − 1)/λ, t = ((1−ε) s +
 * ε/m) r/p, s = 1/(1 + Σ<sub>k≠a</sub> exp(z<sub>k</sub> − z<sub>a</sub> + σ²d<sub>k</sub>²)),
 *
 * <p>with scores z = βμ·φ over the m allowed actions, d<sub>k</sub> = ‖φ(x, k) − φ(x, a)‖, Q =
 * N(βμ, σ²I), P = N(βμ₀, σ₀²I) and J combinations of λ, σ² and σ₀². No bound on the features is
 * needed: the handicap σ²d² of a context depends on that context. Derivation: {@code
 * docs/certificates.md}.
 *
 * <p>For a softmax, half of the failure probability is for σ² = σ₀², where the KL divergence is
 * ‖μ−μ₀‖²/(2σ₀²): no number of parameters, and a weight that no example touched costs nothing. The
 * other half is for σ² &lt; σ₀², which is better for few parameters. For a mixed logit, σ² is the
 * variance with which it is served.
 *
 * @param bound the bound with its terms
 * @param priorVariance σ₀² of the best combination
 * @param variance σ² of the best combination
 * @param handicapped mean of t: the estimate that remains after the handicap
 */
public record ServedBound(
        ValueBound bound, double priorVariance, double variance, double handicapped) {

    /** 1, 1/2, … 1/1024. */
    private static final double[] SMOOTHINGS = powersOfTwo(-10, 0);

    /** Variances for features of norms from about 0.1 to 1,000. */
    private static final double[] VARIANCES = powersOfTwo(-20, 6);

    /** The variance is chosen on about this many rewarded examples. */
    private static final int SEARCHED = 2_000;

    /** σ₀²/σ² of a mixed logit. */
    private static final double[] RATIOS = powersOfTwo(0, 20);

    /**
     * Variances of the prior of a mixed logit with a learned variance, relative to the largest:
     * steps of about one percent down to 2⁻²⁰. A prior that is half a percent away from σ² costs
     * little even for many parameters.
     */
    private static final double[] LEARNED_RATIOS = learnedRatios(64, 20);

    /**
     * The best bound on a policy.
     *
     * @param log at least one example, with propensities that are exact or too large
     * @param served μ with its decision rule
     * @param prior μ₀, fixed before the log; it is used at the same inverse temperature
     */
    public static ServedBound of(ExampleLog log, Policy served, LinearModel prior, double delta) {
        return of(log, served, prior, OptionalDouble.empty(), delta);
    }

    /**
     * The same for a mixed logit whose variance was learned from the log. The variance of the prior
     * must not depend on it, so it comes from a grid below a variance that was fixed before.
     *
     * @param priorVariance largest variance of the prior, at least that of the policy
     */
    public static ServedBound ofLearnedVariance(
            ExampleLog log, Policy served, LinearModel prior, double priorVariance, double delta) {
        double beta = served.rule().inverseTemperature();
        double variance = served.rule().variance().orElseThrow();
        Search search = search(log, served, prior, OptionalDouble.empty(), delta);
        return beta == 0.0
                ? search.atVariance(0.0)
                : search.atLearnedVariance(variance * beta * beta, priorVariance * beta * beta);
    }

    /**
     * The same for a prior that was learned from the log.
     *
     * @param radius distance of the learned prior from its expectation, which does not depend on
     *     the log; holds with the other half of a δ. Empty for a fixed prior
     */
    static ServedBound of(
            ExampleLog log,
            Policy served,
            LinearModel priorModel,
            OptionalDouble radius,
            double delta) {
        double beta = served.rule().inverseTemperature();
        Search search = search(log, served, priorModel, radius, delta);
        return served.rule().kind() == PolicyKind.MIXED_LOGIT
                ? search.atVariance(served.rule().variance().orElseThrow() * beta * beta)
                : search.overVariances();
    }

    private static Search search(
            ExampleLog log,
            Policy served,
            LinearModel priorModel,
            OptionalDouble radius,
            double delta) {
        double beta = served.rule().inverseTemperature();
        LinearModel policy = served.model().scaled(beta);
        LinearModel prior = priorModel.scaled(beta);
        log.requireFit(policy);
        double squaredBiases = policy.squaredBiasDistance(prior);
        // Equal biases are constants, unless the prior's were learned.
        boolean biasesVary = policy.biasCount() > 0 && (squaredBiases > 0.0 || radius.isPresent());
        double distance =
                Math.sqrt(policy.squaredDistance(prior) + squaredBiases) + radius.orElse(0.0);
        return new Search(
                new HandicappedLog(log, policy, served.rule(), biasesVary),
                biasesVary,
                distance * distance,
                policy.weightCount() + (biasesVary ? policy.biasCount() : 0),
                -StrictMath.log(Require.delta(delta)));
    }

    /** The bound on the value; 0 if it says nothing. */
    public double value() {
        return Math.max(0.0, bound.total());
    }

    /** The grids, for one policy. */
    private record Search(
            HandicappedLog log,
            boolean biasesVary,
            double squaredDistance,
            long dimension,
            double confidence) {

        /** Finds σ² on a part of the log, which is cheap, and computes its bound on all of it. */
        ServedBound overVariances() {
            double variance = best(VARIANCES, log.stride(SEARCHED)).variance;
            return best(new double[] {variance}, 1).bound(log);
        }

        private Best best(double[] variances, int stride) {
            int m = VARIANCES.length;
            double equal = cost(2L * m);
            double smaller = cost((long) m * (m - 1));
            Best best = new Best();
            for (double variance : variances) {
                double[] sums = log.logSums(variance, SMOOTHINGS, stride);
                for (double priorVariance : VARIANCES) {
                    if (priorVariance >= variance) {
                        double cost = priorVariance == variance ? equal : smaller;
                        best.add(this, sums, variance, priorVariance, cost);
                    }
                }
            }
            return best;
        }

        /** At a given σ²; 0, a policy that ignores its scores, has no other parameters to draw. */
        ServedBound atVariance(double variance) {
            Best best = new Best();
            double drawn = Math.max(Double.MIN_NORMAL, variance);
            double[] sums = log.logSums(drawn, SMOOTHINGS, 1);
            for (double ratio : RATIOS) {
                best.add(this, sums, drawn, drawn * ratio, cost(RATIOS.length));
            }
            return best.bound(log);
        }

        /**
         * At a σ² that was learned. The hypotheses depend on σ² only by the handicap of biases,
         * which are not drawn; then its next larger value on the grid is used.
         */
        ServedBound atLearnedVariance(double variance, double largestPrior) {
            double handicap = biasesVary ? nextLarger(variance, largestPrior) : variance;
            double[] sums = log.logSums(handicap, SMOOTHINGS, 1);
            long size = LEARNED_RATIOS.length;
            double cost = cost(biasesVary ? size * size : size);
            Best best = new Best();
            for (double ratio : LEARNED_RATIOS) {
                double priorVariance = largestPrior * ratio;
                if (priorVariance >= variance) {
                    best.add(this, sums, variance, priorVariance, cost);
                }
            }
            return best.bound(log);
        }

        private static double nextLarger(double variance, double largest) {
            double next = largest;
            for (double ratio : LEARNED_RATIOS) {
                if (largest * ratio >= variance) {
                    next = largest * ratio;
                }
            }
            return next;
        }

        /** ln(J/δ). */
        private double cost(long variances) {
            return confidence + StrictMath.log((double) variances * SMOOTHINGS.length);
        }

        double divergence(double variance, double priorVariance) {
            return GaussianKl.exact(
                    new PosteriorGap(squaredDistance, dimension, 0.0, priorVariance, variance));
        }
    }

    /** The best combination so far. */
    private static final class Best {
        private ValueBound bound = new ValueBound(1.0, 1, 0.0, 0.0, 0.0);
        private double total = Double.NEGATIVE_INFINITY;
        private double priorVariance = 1.0;
        private double variance = 1.0;

        void add(
                Search search,
                double[] sums,
                double variance,
                double priorVariance,
                double confidence) {
            double divergence = search.divergence(variance, priorVariance);
            for (int l = 0; l < sums.length; l++) {
                ValueBound other =
                        new ValueBound(
                                SMOOTHINGS[l],
                                search.log().examples(),
                                sums[l],
                                divergence,
                                confidence);
                if (other.total() > total) {
                    bound = other;
                    total = other.total();
                    this.variance = variance;
                    this.priorVariance = priorVariance;
                }
            }
        }

        ServedBound bound(HandicappedLog log) {
            return new ServedBound(bound, priorVariance, variance, log.mean(variance));
        }
    }

    private static double[] learnedRatios(int perHalving, int halvings) {
        double[] ratios = new double[perHalving * halvings + 1];
        for (int j = 0; j < ratios.length; j++) {
            ratios[j] = StrictMath.pow(2.0, -(double) j / perHalving);
        }
        return ratios;
    }

    private static double[] powersOfTwo(int smallest, int largest) {
        double[] powers = new double[largest - smallest + 1];
        for (int j = 0; j < powers.length; j++) {
            powers[j] = Math.scalb(1.0, smallest + j);
        }
        return powers;
    }
}
