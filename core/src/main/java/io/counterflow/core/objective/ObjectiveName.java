package io.counterflow.core.objective;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The names of the objectives in specs, snapshots and commands. */
public enum ObjectiveName {
    IPS_LPR("ips-lpr", Objective.Centre.PRIOR, true),
    WNLL_LPR("wnll-lpr", Objective.Centre.PRIOR, true),
    LS_LPR("ls-lpr", Objective.Centre.PRIOR, true),
    TRUST_LPR("trust-lpr", Objective.Centre.PRIOR, true),
    IPS_L2("ips-l2", Objective.Centre.ZERO, true),
    POEM("poem", Objective.Centre.ZERO, false),
    POEM_L2("poem-l2", Objective.Centre.ZERO, false),
    BCRM("bcrm", Objective.Centre.PRIOR, true),
    BCRM_CONVEX("bcrm-convex", Objective.Centre.PRIOR, true);

    private final String label;
    private final Objective.Centre centre;
    private final boolean streams;

    ObjectiveName(String label, Objective.Centre centre, boolean streams) {
        this.label = label;
        this.centre = centre;
        this.streams = streams;
    }

    /** The objective of this label. */
    public static ObjectiveName named(String label) {
        for (ObjectiveName name : values()) {
            if (name.label.equals(label)) {
                return name;
            }
        }
        throw new IllegalArgumentException(
                "objective must be one of %s, got \"%s\""
                        .formatted(
                                Arrays.stream(values())
                                        .map(ObjectiveName::toString)
                                        .collect(Collectors.joining(", ")),
                                label.substring(0, Math.min(40, label.length()))));
    }

    /**
     * The objectives that can be learned from a stream: a mean over examples, so that a step can be
     * taken on each batch as it arrives.
     *
     * <p>POEM is not among them: its variance is that of the whole sample and is majorised again at
     * each pass over the sample. The strength of the Bayesian objectives depends on the sample
     * size; in a stream, that is the number of examples so far.
     */
    public static List<ObjectiveName> ofStreams() {
        return Arrays.stream(values()).filter(name -> name.streams).toList();
    }

    public Objective.Centre centre() {
        return centre;
    }

    /** Whether it learns a posterior with a variance. */
    public boolean isBayesian() {
        return this == BCRM || this == BCRM_CONVEX;
    }

    /**
     * The variance of the posterior around the current policy, by the objective in mean and
     * variance ({@code eq:mixed_logit_bcrm_objective}) or in closed form ({@code
     * eq:optimal_variance}).
     *
     * @param pass at least one example
     */
    public double posteriorVariance(BayesianSetting setting, SamplePass pass) {
        return this == BCRM ? setting.bestVariance(pass) : setting.optimalVariance(pass.log());
    }

    public Objective objective(ObjectiveSettings settings) {
        double tau = settings.tau();
        double lambda = settings.lambda();
        Objective objective =
                switch (this) {
                    case IPS_LPR -> Objectives.ipsLpr(tau, lambda);
                    case WNLL_LPR -> Objectives.wnllLpr(tau, lambda);
                    case LS_LPR -> Objectives.lsLpr(settings.smoothing(), lambda);
                    case TRUST_LPR -> Objectives.trustLpr(settings.trust(), lambda);
                    case IPS_L2 -> Objectives.ipsL2(tau, lambda);
                    case POEM -> Objectives.poem(tau, settings.varianceLambda());
                    case POEM_L2 -> Objectives.poemL2(tau, settings.varianceLambda(), lambda);
                    case BCRM -> new BayesianObjective(settings.bayesian().orElseThrow());
                    case BCRM_CONVEX -> settings.bayesian().orElseThrow().convexObjective();
                };
        // A floor multiplies the bound that Bayesian objectives optimise, so the optimum is the
        // same.
        return isBayesian() ? objective : objective.withSoftmaxShare(settings.softmaxShare());
    }

    @Override
    public String toString() {
        return label;
    }
}
