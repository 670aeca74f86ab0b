package io.counterflow.flink.join;

import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.flink.Feedback;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.schemas.record.ImpressionRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SplittableRandom;

/**
 * Impressions, rewards and activations of a few decisions, with copies, orphans and all that comes
 * too soon or too late, in orders of arrival that the watermark allows.
 */
final class DrawnArrivals {

    private static final int OUT_OF_ORDERNESS_MS = 400;
    private static final int END_MS = 20_000;

    /** Something happens at the operator: an event arrives, or the watermark moves. */
    sealed interface Step {
        void on(JoinHarness join) throws Exception;
    }

    private record Arrival(FeedbackEvent event) implements Step {
        @Override
        public void on(JoinHarness join) throws Exception {
            join.take(event);
        }
    }

    private record WatermarkMove(long ms) implements Step {
        @Override
        public void on(JoinHarness join) throws Exception {
            join.watermark(ms);
        }
    }

    private record Timed(FeedbackEvent event, long ms) {}

    private final List<Timed> events = new ArrayList<>();
    private final SplittableRandom random;

    DrawnArrivals(long seed, int decisions) {
        random = new SplittableRandom(seed);
        for (int decision = 0; decision < decisions; decision++) {
            draw("e" + decision);
        }
    }

    private void draw(String eventId) {
        long shownAt = random.nextInt(2_000);
        RewardAggregation[] aggregations = RewardAggregation.values();
        RewardRule rule =
                new RewardRule(
                        Duration.ofMillis(random.nextInt(1_000)),
                        random.nextDouble(),
                        aggregations[random.nextInt(aggregations.length)],
                        random.nextInt(3) == 0,
                        random.nextInt(4) == 0
                                ? OptionalDouble.empty()
                                : OptionalDouble.of(random.nextDouble()),
                        random.nextDouble());
        if (random.nextInt(8) != 0) { // else all its feedback is orphaned
            ImpressionRecord impression = Feedback.impression(eventId, shownAt, rule);
            if (random.nextInt(6) == 0) {
                impression.setReward(random.nextDouble());
                impression.setGuardrailReward(random.nextDouble());
            }
            add(Feedback.event(impression), shownAt);
        }
        for (int i = random.nextInt(5); i > 0; i--) {
            long ms = shownAt + random.nextInt(-700, 1_500);
            add(Feedback.event(Feedback.reward("r" + i, eventId, ms, random.nextDouble())), ms);
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            long ms = shownAt + random.nextInt(-700, 1_500);
            double value = random.nextDouble();
            add(Feedback.event(Feedback.guardrailReward("r" + i, eventId, ms, value)), ms);
        }
        if (random.nextBoolean()) {
            long ms = shownAt + random.nextInt(1_200);
            add(Feedback.event(Feedback.activation(eventId, ms)), ms);
        }
    }

    private void add(FeedbackEvent event, long ms) {
        for (int copies = random.nextInt(4) == 0 ? 2 : 1; copies > 0; copies--) {
            events.add(new Timed(event, ms));
        }
    }

    /** An order of arrival: each event at most the allowed disorder after its time. */
    List<Step> shuffled(long seed) {
        SplittableRandom delays = new SplittableRandom(seed);
        record Delayed(Timed timed, long arrivesAt) {}
        List<Delayed> arrivals = new ArrayList<>();
        for (Timed timed : events) {
            long delay = delays.nextInt(OUT_OF_ORDERNESS_MS);
            arrivals.add(new Delayed(timed, timed.ms() + delay));
        }
        arrivals.sort(Comparator.comparingLong(Delayed::arrivesAt));
        List<Step> steps = new ArrayList<>();
        for (Delayed arrival : arrivals) {
            steps.add(new Arrival(arrival.timed().event()));
            if (delays.nextInt(3) != 0) {
                steps.add(new WatermarkMove(arrival.arrivesAt() - OUT_OF_ORDERNESS_MS));
            }
        }
        steps.add(new WatermarkMove(END_MS));
        return steps;
    }
}
