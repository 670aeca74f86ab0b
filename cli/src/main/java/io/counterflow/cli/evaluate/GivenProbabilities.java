package io.counterflow.cli.evaluate;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.features.Features;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.LinearModel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A policy whose probabilities were read from a {@link TargetFile}. */
final class GivenProbabilities implements Target {

    private static final double EXCLUDED_TOLERANCE = 1e-9;

    private final String name;
    private final LinearModel shape;
    private final ExampleLog log;
    private final double[] @Nullable [] given; // by example
    private boolean complete = true;
    private long unused;

    private GivenProbabilities(String name, LinearModel shape, ExampleLog log) {
        this.name = name;
        this.shape = shape;
        this.log = log;
        this.given = new double[log.size()][];
    }

    /**
     * Reads the probabilities of all examples.
     *
     * @param shape a model that fits the examples
     * @param eventIds of all examples
     */
    static GivenProbabilities read(
            String name,
            TargetFile file,
            LinearModel shape,
            ExampleLog log,
            List<String> eventIds) {
        GivenProbabilities target = new GivenProbabilities(name, shape, log);
        Map<String, Integer> positions = new HashMap<>();
        for (int i = 0; i < eventIds.size(); i++) {
            if (positions.put(eventIds.get(i), i) != null) {
                throw new BadInputException(
                        "--policy %s: probabilities belong to events, but the log has the event"
                                        .formatted(name)
                                + " \"%s\" more than once".formatted(eventIds.get(i)));
            }
        }
        file.read(
                (eventId, probabilities, complete) -> {
                    Integer position = positions.get(eventId);
                    if (position == null) {
                        target.unused++;
                    } else {
                        target.set(position, eventId, probabilities, complete);
                    }
                });
        target.requireAll(eventIds);
        return target;
    }

    private void set(int i, String eventId, double[] probabilities, boolean all) {
        if (given[i] != null) {
            throw new IllegalArgumentException(
                    "there must be one line per event, got \"%s\" again".formatted(eventId));
        }
        double sum = 0.0;
        for (int k = 0; k < probabilities.length; k++) {
            double p = probabilities[k];
            if (!(p >= 0.0 && p <= 1.0)) {
                throw new IllegalArgumentException("a probability must be in [0, 1], got " + p);
            }
            sum += p;
        }
        if (all) {
            requireDistribution(i, probabilities, sum);
        }
        complete &= all;
        given[i] = probabilities;
    }

    private void requireDistribution(int i, double[] probabilities, double sum) {
        Features x = log.features(i);
        int actions = shape.actionCount(x);
        if (probabilities.length != actions) {
            throw new IllegalArgumentException(
                    "there must be %d probabilities, one for each action, got %d%s"
                            .formatted(
                                    actions,
                                    probabilities.length,
                                    log.denseValues(i) == null
                                            ? ""
                                            : "; --actions K says how many actions there are"));
        }
        if (!(Math.abs(sum - 1.0) <= Choice.TOLERANCE)) {
            throw new IllegalArgumentException("probabilities must sum to 1, got " + sum);
        }
        AllowedActions allowed = log.allowed(i);
        for (int k = 0; k < actions && !allowed.isAll(); k++) {
            if (probabilities[k] > EXCLUDED_TOLERANCE && !allowed.contains(k)) {
                throw new IllegalArgumentException(
                        "the probability of the excluded action %d must be 0, got %s"
                                .formatted(k, probabilities[k]));
            }
        }
    }

    private void requireAll(List<String> eventIds) {
        int missing = 0;
        int first = -1;
        for (int i = 0; i < given.length; i++) {
            if (given[i] == null) {
                first = missing++ == 0 ? i : first;
            }
        }
        if (missing > 0) {
            throw new BadInputException(
                    "--policy %s: every event of the log needs probabilities; %,d of %,d have none, such as \"%s\""
                            .formatted(name, missing, given.length, eventIds.get(first)));
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isComplete() {
        return complete;
    }

    /** The number of events of the file that are not in the log. */
    long unused() {
        return unused;
    }

    @Override
    public void probabilities(int example, double[] probabilities) {
        double[] known = given[example];
        if (known == null) {
            throw new IllegalStateException("no probabilities of example " + example);
        }
        if (complete || known.length > 1) {
            System.arraycopy(known, 0, probabilities, 0, known.length);
        } else {
            probabilities[log.action(example)] = known[0];
        }
    }
}
