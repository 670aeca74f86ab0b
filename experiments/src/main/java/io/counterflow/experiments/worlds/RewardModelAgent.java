package io.counterflow.experiments.worlds;

import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rewardmodel.RewardModelConfig;
import io.counterflow.core.rewardmodel.RewardModelLearner;
import io.counterflow.core.rewardmodel.RewardPrediction;
import io.counterflow.core.spec.LoopSpec;

/**
 * Serves the policy of a {@link RewardModelLearner} greedily, with the default exploration floor.
 *
 * <p>A starting policy that is not uniform keeps deciding until the model's policy seems to be
 * ahead of it. In a loop that is the task of the gate. Here it is a simple rule without a
 * guarantee: the model predicts the rewards of both policies for the requests since the last
 * freeze, for the greedy action at log-odds that are lower by one and a half standard deviations.
 * If the model's policy is ahead at three freezes in a row, it decides from then on.
 */
final class RewardModelAgent implements Agent {

    private static final double DEVIATIONS = 1.5;
    private static final int FREEZES_AHEAD = 3; // the first model knows only 50 rewards

    private final RewardModelLearner learner;
    private final double floor;
    private final Policy start;
    private Policy newest;
    private boolean keepsStart;
    private int freezesAhead; // in a row
    private double ahead; // predicted rewards since the last freeze, greedy minus start

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
            compare(request);
        }
        learner.learn(example);
        if (learner.freezeDue()) {
            newest = RewardModelLearner.greedy(learner.freeze(), floor);
            freezesAhead = ahead > 0.0 ? freezesAhead + 1 : 0;
            keepsStart = keepsStart && freezesAhead < FREEZES_AHEAD;
            ahead = 0.0;
        }
    }

    private void compare(Request request) {
        double[] ofStart = new double[request.actions()];
        start.probabilities(request.features(), request.allowed(), ofStart);
        RewardPrediction best = new RewardPrediction(Double.NEGATIVE_INFINITY, 0.0);
        double sum = 0.0;
        for (int action = 0; action < ofStart.length; action++) {
            if (request.allowed().contains(action)) {
                RewardPrediction predicted =
                        learner.predict(request.features(), request.allowed(), action);
                best = predicted.logOdds() > best.logOdds() ? predicted : best;
                ahead -= ofStart[action] * predicted.reward();
                sum += predicted.reward();
            }
        }
        double uniform = sum / request.allowed().count(ofStart.length);
        ahead += (1.0 - floor) * best.lowerReward(DEVIATIONS) + floor * uniform;
    }
}
