package io.counterflow.flink.loop;

import io.counterflow.core.features.NamedAction;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.record.RolloutActionRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.SplittableRandom;

/** A few loops, dense and hashed, in all modes, and all that can happen to them, from a seed. */
final class DrawnLoopEvents {

    static final List<String> LOOPS =
            List.of("dense", "gated", "hashed", "listed", "manual", "bayesian");

    private static final int SECONDS = 4;
    private static final int EXAMPLES = 100; // per loop and second

    /** How many examples each loop can learn from. */
    static final int EXAMPLES_OF_A_LOOP = SECONDS * EXAMPLES;

    private static final NamedFeaturesJson FEATURES = new NamedFeaturesJson(JsonLimits.defaults());

    private final long seed;
    private final List<List<LoopEvent>> seconds = new ArrayList<>();

    DrawnLoopEvents(long seed) {
        this.seed = seed;
        SplittableRandom random = new SplittableRandom(seed);
        for (int second = 0; second < SECONDS; second++) {
            List<LoopEvent> events = new ArrayList<>();
            for (int i = 0; i < EXAMPLES; i++) {
                int number = second * EXAMPLES + i;
                for (String loop : LOOPS) {
                    long ms = 1_000L * second + 1 + random.nextInt(998);
                    events.add(
                            switch (loop) {
                                case "hashed" -> hashedExample(number, ms, random);
                                case "listed" -> listedExample(number, second, ms, random);
                                case "manual" ->
                                        LoopEvents.example(loop, number, ms, number % 5 == 0);
                                default ->
                                        number % 3 == 0
                                                ? LoopEvents.exampleWithout(
                                                        number % 2, loop, number, ms)
                                                : LoopEvents.example(loop, number, ms);
                            });
                }
            }
            addControls(second, events, random);
            Collections.shuffle(events, new Random(random.nextLong()));
            if (second == 0) {
                events.addAll(0, firstSpecs());
            }
            seconds.add(events);
        }
    }

    private static List<LoopEvent> firstSpecs() {
        return List.of(
                LoopEvents.specEvent("dense", 1, 0),
                LoopEvents.specEvent(
                        "gated",
                        1,
                        0,
                        it -> {
                            it.setRolloutMode("gated");
                            it.setCanaryShare(0.0);
                            it.setCandidateExamples(30);
                            it.setGuardrailMargin(0.9);
                            it.setExplorationFloor(0.2);
                        }),
                LoopEvents.specEvent(
                        "hashed",
                        1,
                        0,
                        it -> {
                            LoopEvents.hashed(it, 8);
                            it.setLearner("best");
                            it.setSnapshotRewards(15.0);
                        }),
                LoopEvents.specEvent("listed", 1, 0, it -> LoopEvents.hashed(it, 6, "a", "b")),
                LoopEvents.specEvent(
                        "manual",
                        1,
                        0,
                        it -> {
                            it.setRolloutMode("manual");
                            it.setLearner("reward-model");
                            it.setHoldoutShare(0.2);
                        }),
                LoopEvents.specEvent("bayesian", 1, 0, LoopEvents::bayesian));
    }

    private static void addControls(int second, List<LoopEvent> events, SplittableRandom random) {
        long ms = 1_000L * second + 1 + random.nextInt(998);
        String id = "c-" + second;
        RolloutActionRecord action =
                second % 2 == 0 ? RolloutActionRecord.PROMOTE : RolloutActionRecord.ROLLBACK;
        events.add(LoopEvents.command("manual", id, ms, action, null, null));
        events.add(LoopEvents.command("gated", id, ms, RolloutActionRecord.CANARY, null, 0.3));
        long version = second + 2L;
        double value = 0.1 * (1 + random.nextInt(9));
        events.add(
                LoopEvents.specEvent(
                        "dense",
                        version,
                        ms,
                        it -> {
                            it.setLearningRate(value);
                            it.setLambda(second % 2 == 0 ? 1e-6 : 1e-4);
                            it.setBufferCapacity(40 + 10L * second);
                            it.setHoldoutVersion(second == 1 ? 1L : null);
                        }));
        events.add(
                LoopEvents.specEvent(
                        "listed", version, ms, it -> LoopEvents.hashed(it, 6, list(second + 1))));
        events.add(
                LoopEvents.example(
                        "nobody", second, ms)); // a loop without a spec costs dead letters
    }

    /** The fixed list of actions of each second: ever longer, and in another order. */
    private static String[] list(int second) {
        List<String> actions = new ArrayList<>(List.of("a", "b"));
        for (int i = 0; i < second; i++) {
            actions.add(i % 2 == 0 ? 0 : actions.size(), "x" + i);
        }
        return actions.toArray(String[]::new);
    }

    /** Decided under the spec of this second or of one before, which its list is of. */
    private static LoopEvent listedExample(
            int number, int second, long ms, SplittableRandom random) {
        int decided = random.nextInt(second + 1);
        int count = list(decided).length;
        int excluded = random.nextInt(count);
        int action = (excluded + 1 + random.nextInt(count - 1)) % count;
        return LoopEvents.example(
                "listed",
                "l-%06d".formatted(number),
                ms,
                new Context.Named(
                        FEATURES.read("{\"user\":\"%d\"}".formatted(random.nextInt(4))), List.of()),
                LoopEvents.without(excluded, action, 1.0 / (count - 1)),
                0,
                decided + 1,
                random.nextInt(2));
    }

    private static LoopEvent hashedExample(int number, long ms, SplittableRandom random) {
        String user = "{\"user\":{\"country\":\"c%d\",\"age\":%s}}";
        List<NamedAction> actions = new ArrayList<>();
        int count = 2 + random.nextInt(3);
        for (int a = 0; a < count; a++) {
            actions.add(
                    new NamedAction(
                            "a" + a,
                            FEATURES.read(
                                    "{\"topic\":{\"t\":\"%d\"}}".formatted(random.nextInt(3)))));
        }
        boolean excludes = count > 2 && random.nextInt(3) == 0;
        int action = excludes ? 1 : random.nextInt(count);
        return LoopEvents.example(
                "hashed",
                "h-%06d".formatted(number),
                ms,
                new Context.Named(
                        FEATURES.read(user.formatted(random.nextInt(4), random.nextDouble())),
                        actions),
                new Choice(
                        action,
                        OptionalDouble.of(1.0 / (excludes ? count - 1 : count)),
                        PropensityKind.EXACT,
                        List.of(),
                        excludes ? AllowedActions.allBut(0) : AllowedActions.ALL),
                0,
                random.nextInt(2));
    }

    long seed() {
        return seed;
    }

    /** Events and watermarks, as they come. */
    List<Step> steps() {
        return steps(seconds);
    }

    /** The same events in another order within each second. */
    List<Step> shuffledSteps() {
        List<List<LoopEvent>> shuffled = new ArrayList<>();
        for (List<LoopEvent> second : seconds) {
            List<LoopEvent> events = new ArrayList<>(second);
            Collections.shuffle(events, new Random(seed + 77)); // examples may precede their spec
            shuffled.add(events);
        }
        return steps(shuffled);
    }

    private static List<Step> steps(List<List<LoopEvent>> seconds) {
        List<Step> steps = new ArrayList<>();
        for (int second = 0; second < seconds.size(); second++) {
            long middle = 1_000L * second - 500;
            List<LoopEvent> events = seconds.get(second);
            for (int i = 0; i < events.size(); i += 20) {
                List<LoopEvent> some = events.subList(i, Math.min(events.size(), i + 20));
                steps.add(harness -> harness.take(some));
                if (i == 100) {
                    steps.add(harness -> harness.watermark(middle));
                }
            }
            long end = 1_000L * second;
            steps.add(harness -> harness.watermark(end));
        }
        steps.add(LoopHarness::end);
        steps.add(harness -> harness.processingTime(Duration.ofMinutes(5))); // no spec will come
        return steps;
    }

    /** Something that the operator sees. */
    @FunctionalInterface
    interface Step {
        void play(LoopHarness harness) throws Exception;
    }
}
