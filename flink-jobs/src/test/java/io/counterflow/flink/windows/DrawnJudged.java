package io.counterflow.flink.windows;

import io.counterflow.flink.event.ScoredExample.Audit;
import io.counterflow.flink.windows.WindowHarness.Timed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Examples of a few loops in the order of time, and times between them, drawn from a seed. Versions
 * change on the way and some time passes without any example.
 */
final class DrawnJudged {

    /** An example, or the passing of time. */
    sealed interface Step {
        void on(WindowHarness harness);
    }

    record Example(Timed timed) implements Step {
        @Override
        public void on(WindowHarness harness) {
            harness.take(timed);
        }
    }

    record Time(long ms) implements Step {
        @Override
        public void on(WindowHarness harness) {
            harness.advance(ms);
        }
    }

    private static final int LOOPS = 4;
    private static final List<Audit> AUDITS = List.of(Audit.values());

    private final SplittableRandom random;
    private final List<Step> steps = new ArrayList<>();

    private DrawnJudged(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** Drawn steps; the last one ends all windows. */
    static List<Step> steps(long seed, int examples) {
        DrawnJudged drawn = new DrawnJudged(seed);
        drawn.draw(examples);
        return List.copyOf(drawn.steps);
    }

    static List<Timed> examples(List<Step> steps) {
        return steps.stream()
                .filter(Example.class::isInstance)
                .map(step -> ((Example) step).timed())
                .toList();
    }

    private void draw(int examples) {
        long timeMs = 10_000;
        for (int i = 0; i < examples; i++) {
            timeMs += random.nextInt(15) == 0 ? 6_000 : random.nextInt(400);
            steps.add(new Example(example(timeMs, 1 + i * 3 / examples).timed()));
            if (random.nextInt(6) == 0) {
                steps.add(new Time(timeMs));
            }
        }
        steps.add(new Time(timeMs + 100_000));
    }

    private Judged example(long timeMs, long active) {
        int action = random.nextInt(3);
        double[] weights = {random.nextDouble(), random.nextDouble(), random.nextDouble()};
        double sum = weights[0] + weights[1] + weights[2];
        List<Double> distribution = new ArrayList<>();
        for (double weight : weights) {
            distribution.add(0.8 * weight / sum + 0.2 / 3); // the floor of the settings
        }
        Judged example =
                Judged.at(timeMs)
                        .loop("loop-" + random.nextInt(LOOPS))
                        .loggedBy(random.nextInt(5) == 0 ? active - 1 : active)
                        .chose(action, 3, distribution.get(action))
                        .active(active, random.nextDouble())
                        .reward(random.nextInt(3) / 2.0)
                        .audit(AUDITS.get(random.nextInt(3)))
                        .distribution(random.nextInt(30) == 0 ? List.of() : distribution);
        if (random.nextInt(4) > 0) {
            example.candidate(active + 1 + random.nextInt(2), random.nextDouble());
        }
        return example;
    }
}
