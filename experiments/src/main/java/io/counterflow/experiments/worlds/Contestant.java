package io.counterflow.experiments.worlds;

import io.counterflow.core.rewardmodel.RewardModelConfig;
import io.counterflow.core.spec.RolloutMode;
import java.util.Locale;
import java.util.function.Function;

/** A learner that competes in the worlds. */
enum Contestant {
    IMMEDIATE("immediate", world -> new LoopAgent(world, RolloutMode.IMMEDIATE)),
    GATED("gated", world -> new LoopAgent(world, RolloutMode.GATED)),
    REWARD_MODEL("reward model", world -> new RewardModelAgent(world, RewardModelConfig.DEFAULT)),
    LOGISTIC("logistic AdaGrad", LogisticAgent::new),
    VW_MTR("VW mtr", world -> new VowpalWabbitAgent("--cb_type mtr --epsilon 0.05")),
    VW_IPS("VW ips", world -> new VowpalWabbitAgent("--cb_type ips --epsilon 0.05")),
    VW_DR("VW dr", world -> new VowpalWabbitAgent("--cb_type dr --epsilon 0.05")),
    VW_SQUARECB("VW SquareCB", world -> new VowpalWabbitAgent("--squarecb --cb_type mtr"));

    private final String title;
    private final Function<World, Agent> agent;

    Contestant(String title, Function<World, Agent> agent) {
        this.title = title;
        this.agent = agent;
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
        return agent.apply(world);
    }

    /** Its name in options and results, such as {@code reward-model}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
