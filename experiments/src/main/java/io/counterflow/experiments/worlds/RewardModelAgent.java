package io.counterflow.experiments.worlds;

import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rewardmodel.RewardModelConfig;
import io.counterflow.core.rewardmodel.RewardModelLearner;
import io.counterflow.core.spec.LoopSpec;

/**
 * Serves the policy of a {@link RewardModelLearner} greedily, with the default exploration floor.
 *
 * <p>A starting policy that is not uniform keeps deciding until the model's policy is ahead of it.
 * In a loop that is the task of the gate. Here it is a simple rule: each example is compared under
 * the starting policy and the newest frozen one, D = (π<sub>c</sub> − π<sub>s</sub>) / p · (r − b)
 * with b the mean of the earlier rewards, and the model's policy decides once ΣD exceeds twice the
 * square root of ΣD².
 */
final class RewardModelAgent implements Agent {

    private static final double AHEAD = 2.0; // standard errors

    private final RewardModelLearner learner;
    private final double floor;
    private final Policy start;
    private Policy newest;
    private boolean keepsStart;
    private double differences;
    private double squaredDifferences;
    private double rewards;
    private long examples;

    RewardModelAgent(World world, RewardModelConfig config) {
        LoopSpec spec = LoopAgent.spec(world).build();
        this.floor = spec.decisionRule().explorationFloor();
        this.start = spec.policyOf(spec.startingModel());
        this.newest = start;
        this.keepsStart = world.start().isPresent();
        this.learner =
                RewardModelLearner.start(
                        spec.startingModel(), spec.decisionRule().inverseTemperature(), config);
    }

    @Override
    public Choice decide(Request request, EventRandom random) {
        Policy active = keepsStart ? start : newest;
        return new Choice(active.decide(request.features(), request.allowed(), random), 0);
    }

    @Override
    public void learn(Request request, Choice choice, double reward) {
        LoggedExample example =
                new LoggedExample(
                        request.features(),
                        request.allowed(),
                        choice.decision().action(),
                        choice.decision().propensity(),
                        reward,
                        0);
        if (keepsStart) {
            compare(example);
        }
        learner.learn(example);
        if (learner.freezeDue()) {
            newest = RewardModelLearner.greedy(learner.freeze(), floor);
        }
    }

    private void compare(LoggedExample example) {
        double baseline = examples == 0 ? 0.0 : rewards / examples;
        double difference =
                (probability(newest, example) - probability(start, example))
                        / example.propensity()
                        * (example.reward() - baseline);
        differences += difference;
        squaredDifferences += difference * difference;
        rewards += example.reward();
        examples++;
        keepsStart = differences <= AHEAD * Math.sqrt(squaredDifferences);
    }

    private static double probability(Policy policy, LoggedExample example) {
        double[] probabilities = new double[policy.actionCount(example.features())];
        policy.probabilities(example.features(), example.allowed(), probabilities);
        return probabilities[example.action()];
    }
}
