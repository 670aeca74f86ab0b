package io.counterflow.experiments.worlds;

import io.counterflow.core.spec.LearnerKind;
import io.counterflow.core.spec.RolloutMode;
import java.util.Locale;

/** A learner that competes in the worlds. */
enum Contestant {
    IMMEDIATE("immediate"),
    GATED("gated"),
    REWARD_MODEL("reward model"),
    LPR("LPR"),
    LOGISTIC("logistic AdaGrad"),
    VW_MTR("VW mtr"),
    VW_IPS("VW ips"),
    VW_DR("VW dr"),
    VW_SQUARECB("VW SquareCB");

    private final String title;

    Contestant(String title) {
        this.title = title;
    }

    /** Its name in tables. */
    String title() {
        return title;
    }

    boolean isVowpalWabbit() {
        return name().startsWith("VW");
    }

    /** A new learner for a world. */
    Agent agent(World world) {
        return switch (this) {
            case IMMEDIATE -> new LoopAgent(world, RolloutMode.IMMEDIATE, LearnerKind.BEST);
            case GATED -> new LoopAgent(world, RolloutMode.GATED, LearnerKind.BEST);
            case REWARD_MODEL ->
                    new LoopAgent(world, RolloutMode.IMMEDIATE, LearnerKind.REWARD_MODEL);
            case LPR -> new LoopAgent(world, RolloutMode.IMMEDIATE, LearnerKind.LPR);
            case LOGISTIC -> new LogisticAgent(world);
            case VW_MTR -> new VowpalWabbitAgent("--cb_type mtr --epsilon 0.05");
            case VW_IPS -> new VowpalWabbitAgent("--cb_type ips --epsilon 0.05");
            case VW_DR -> new VowpalWabbitAgent("--cb_type dr --epsilon 0.05");
            case VW_SQUARECB -> new VowpalWabbitAgent("--squarecb --cb_type mtr");
        };
    }

    /** Its name in options and results, such as {@code reward-model}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
