package io.counterflow.cli.evaluate;

import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.rewardmodel.CrossFittedRewardModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.IntConsumer;

/**
 * Evaluates several policies on a log and on its segments, in one pass over the examples. The
 * reward model of the doubly robust estimate is fitted once, and to all examples.
 */
final class Evaluation {

    private final ExampleLog log;
    private final LinearModel shape;
    private final EvaluationSettings settings;
    private final Optional<Segments.Division> division;
    private final Optional<CrossFittedRewardModel> rewards;
    private final LargestWeight weights;

    /** One policy. */
    private final class Running {
        private final Target target;
        private final double[] ofLogged = new double[log.size()];
        private final LargestWeight largest = weights.fresh();
        private final List<PartEvaluation> parts = new ArrayList<>(); // all, then the segments

        Running(Target target) {
            this.target = target;
            parts.add(new PartEvaluation(settings, log.size()));
            division.ifPresent(
                    it ->
                            it.parts()
                                    .forEach(
                                            part ->
                                                    parts.add(
                                                            new PartEvaluation(
                                                                    settings, part.n()))));
        }

        void add(int i, double[] probabilities, double[] modelled) {
            target.probabilities(i, probabilities);
            double pi = probabilities[log.action(i)];
            ofLogged[i] = pi;
            if (target.isComplete()) {
                largest.add(i, probabilities);
            }
            boolean model = rewards.isPresent() && target.isComplete();
            double value = 0.0;
            int actions = model ? shape.actionCount(log.features(i)) : 0;
            for (int k = 0; k < actions; k++) {
                value += probabilities[k] * modelled[k];
            }
            double atMostOne = Math.min(1.0, value); // probabilities may add up to slightly more
            forEachPart(
                    i,
                    part -> {
                        PolicyEvaluation estimates = parts.get(part).estimates();
                        if (model) {
                            estimates.add(
                                    pi,
                                    log.propensity(i),
                                    log.reward(i),
                                    modelled[log.action(i)],
                                    atMostOne);
                        } else {
                            estimates.add(pi, log.propensity(i), log.reward(i));
                        }
                    });
        }

        List<PolicyResult> results() {
            OptionalDouble largestWeight =
                    target.isComplete() ? largest.value() : OptionalDouble.empty();
            List<PartEvaluation.Intervals> intervals =
                    parts.stream().map(part -> part.intervals(largestWeight)).toList();
            for (int i = 0; i < log.size(); i++) {
                int example = i;
                forEachPart(i, part -> intervals.get(part).add(log, example, ofLogged[example]));
            }
            double unsupported = target.isComplete() ? largest.unsupportedShare() : 0.0;
            return intervals.stream().map(it -> it.result(target.name(), unsupported)).toList();
        }
    }

    /**
     * @param division the segments; empty for none
     * @param rewards for the doubly robust estimate; empty for no such estimate
     */
    Evaluation(
            LoadedLog loaded,
            LogColumns columns,
            EvaluationSettings settings,
            Optional<Segments.Division> division,
            Optional<CrossFittedRewardModel> rewards) {
        this.log = loaded.examples();
        this.shape = loaded.shape();
        this.settings = settings;
        this.division = division;
        this.rewards = rewards;
        this.weights = LargestWeight.of(log, columns, shape);
    }

    /** The results of all policies on the whole log, and then on each segment. */
    List<List<PolicyResult>> run(List<Target> targets) {
        List<Running> running = targets.stream().map(Running::new).toList();
        double[] probabilities = new double[0];
        double[] modelled = new double[0];
        for (int i = 0; i < log.size(); i++) {
            int actions = shape.actionCount(log.features(i));
            if (probabilities.length < actions) {
                probabilities = new double[actions];
                modelled = new double[actions];
            }
            if (rewards.isPresent()) {
                rewards.get().predict(i, log.features(i), modelled);
            }
            for (Running policy : running) {
                policy.add(i, probabilities, modelled);
            }
        }
        List<List<PolicyResult>> byPolicy = running.stream().map(Running::results).toList();
        List<List<PolicyResult>> byPart = new ArrayList<>();
        for (int part = 0; part < byPolicy.get(0).size(); part++) {
            int at = part;
            byPart.add(byPolicy.stream().map(results -> results.get(at)).toList());
        }
        return byPart;
    }

    private void forEachPart(int i, IntConsumer work) {
        work.accept(0);
        division.ifPresent(it -> work.accept(1 + it.partOf(i)));
    }
}
