package io.counterflow.experiments.worlds;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Decision;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import vowpalWabbit.learner.VWActionProbsLearner;
import vowpalWabbit.learner.VWLearners;
import vowpalWabbit.responses.ActionProb;

/**
 * Vowpal Wabbit's contextual bandit with its defaults, {@code --cb_explore_adf}, on the same
 * features. It makes its own decisions; those of {@code --squarecb} have no exploration floor.
 */
final class VowpalWabbitAgent implements Agent {

    private static final String OPTIONS = "--cb_explore_adf -q ua -b 18 --quiet --random_seed 1 ";

    private final VWActionProbsLearner learner;

    /**
     * @param exploration further options, such as {@code --cb_type mtr --epsilon 0.05}
     */
    VowpalWabbitAgent(String exploration) {
        this.learner = VWLearners.create(OPTIONS + exploration);
    }

    /** Whether its native library can be loaded on this machine; empty, or the reason why not. */
    static String unavailable() {
        try {
            new VowpalWabbitAgent("--cb_type mtr").close();
            return "";
        } catch (LinkageError | RuntimeException e) {
            return e.toString();
        }
    }

    @Override
    public Choice decide(Request request, EventRandom random) {
        double[] distribution = new double[request.actions()];
        int[] positions = positions(request);
        double sum = 0.0;
        for (ActionProb drawn : learner.predict(allowed(request)).getActionProbs()) {
            distribution[positions[drawn.getAction()]] = drawn.getProbability();
            sum += drawn.getProbability();
        }
        for (int a = 0; a < distribution.length; a++) {
            distribution[a] /= sum; // which is not exactly 1 in float
        }
        return new Choice(Decision.drawnFrom(distribution, random), 0);
    }

    @Override
    public void learn(Request request, Choice choice, double reward) {
        String[] lines = allowed(request);
        int line = 1 + request.allowed().positionOf(choice.decision().action());
        lines[line] =
                String.format(Locale.ROOT, "0:%s:%.9f ", -reward, choice.decision().propensity())
                        + lines[line];
        learner.learn(lines);
    }

    private static int[] positions(Request request) {
        int actions = request.actions();
        int[] positions = new int[request.allowed().count(actions)];
        int next = 0;
        for (int a = 0; a < actions; a++) {
            if (request.allowed().contains(a)) {
                positions[next++] = a;
            }
        }
        return positions;
    }

    private static String[] allowed(Request request) {
        List<String> all = request.lines();
        List<String> kept = new ArrayList<>();
        kept.add(all.get(0));
        for (int position : positions(request)) {
            kept.add(all.get(1 + position));
        }
        return kept.toArray(String[]::new);
    }

    @Override
    public void close() {
        try {
            learner.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
