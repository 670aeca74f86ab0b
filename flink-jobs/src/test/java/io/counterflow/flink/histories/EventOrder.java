package io.counterflow.flink.histories;

import io.counterflow.flink.histories.Checkpoint.Arrival;
import io.counterflow.flink.histories.Meaning.Decision;
import io.counterflow.flink.histories.Meaning.Reward;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The law that the order of arrival changes no example. It holds for an event whose records all
 * arrive before the watermark reaches their times, with these exceptions, which docs/streaming.md
 * names:
 *
 * <ul>
 *   <li>Answers whose windows do not overlap. The first one is learned if its window has closed
 *       when the second one arrives.
 *   <li>The same answer twice, with windows that end in the same millisecond. The one that has
 *       arrived last stands for both.
 *   <li>Feedback in the window of one answer and not of another. It is judged by the answers that
 *       have arrived; if it has arrived first, by the first one.
 *   <li>A reward and another one with the same id at another time. If both wait for their
 *       impression, the earlier one stands for both, even if it turns out to be too early.
 *   <li>Copies of an impression that Kafka has stored at different times, in different partitions.
 *       The window is that of the first copy to arrive.
 *   <li>A decision that brings its reward is learned when it arrives, before another answer.
 * </ul>
 */
final class EventOrder {

    private EventOrder() {}

    static void verify(List<Arrival> arrivals, JoinModel.Outcome outcome) {
        if (!applies(arrivals)) {
            return;
        }
        JoinModel.Outcome ordered =
                JoinModel.of(
                        arrivals.stream()
                                .map(it -> new Arrival(it.sent(), Long.MIN_VALUE))
                                .sorted(BY_TIME)
                                .toList());
        if (!numbers(ordered).equals(numbers(outcome))) {
            throw new AssertionError(
                    "the order of arrival changes the examples of an event:%n  %s%n  by time %s%n  arrivals %s"
                            .formatted(outcome, ordered, arrivals));
        }
    }

    /** Retractions follow their impressions. */
    private static final Comparator<Arrival> BY_TIME =
            Comparator.<Arrival, Boolean>comparing(
                            it -> it.sent().meaning() instanceof Meaning.Retraction)
                    .thenComparingLong(it -> it.sent().meaning().at())
                    .thenComparing(it -> it.sent().place());

    /** The examples without the places of their impressions, which may have copies. */
    private static List<String> numbers(JoinModel.Outcome outcome) {
        return outcome.examples().stream()
                .map(it -> it.toString().replaceFirst("impression=[^,]*", ""))
                .sorted()
                .toList();
    }

    private static boolean applies(List<Arrival> arrivals) {
        Map<Decision, Long> answers = new HashMap<>(); // with their Kafka timestamps
        Map<String, Long> rewards = new HashMap<>(); // with their times
        long firstEnd = Long.MAX_VALUE;
        long lastStart = Long.MIN_VALUE;
        Set<Long> retracted = new HashSet<>(); // times
        Set<Long> ends = new HashSet<>();
        for (Arrival arrival : arrivals) {
            Meaning meaning = arrival.sent().meaning();
            if (arrival.watermarkMs() >= Math.floorDiv(meaning.at(), 1_000L)) {
                return false; // late
            }
            if (meaning instanceof Meaning.Retraction) {
                retracted.add(meaning.at());
            } else if (meaning instanceof Decision decision) {
                if (retracted.contains(decision.at())) {
                    return false; // it does not follow its impression
                }
                Long stored = answers.put(decision, arrival.sent().appendedMs());
                if (stored == null
                        ? !ends.add(JoinModel.closesAtMs(arrival.sent(), decision))
                        : stored != arrival.sent().appendedMs()) {
                    return false;
                }
                firstEnd = Math.min(firstEnd, decision.at() + 1_000L * decision.windowMs());
                lastStart = Math.max(lastStart, decision.at());
            } else if (meaning instanceof Reward reward) {
                Long other = rewards.put(reward.metric() + " " + reward.id(), reward.at());
                if (other != null && other != reward.at()) {
                    return false;
                }
            }
        }
        return arrivals.size() <= Job.MAX_FEEDBACK
                && (answers.size() < 2 || rewards.isEmpty() || isInAllWindows(answers, arrivals))
                && lastStart <= firstEnd
                && (answers.size() < 2
                        || answers.keySet().stream().allMatch(it -> it.reward().isEmpty()));
    }

    private static boolean isInAllWindows(Map<Decision, Long> answers, List<Arrival> arrivals) {
        return arrivals.stream()
                .map(it -> it.sent().meaning())
                .filter(it -> !(it instanceof Decision || it instanceof Meaning.Retraction))
                .allMatch(it -> answers.keySet().stream().allMatch(of -> isInWindow(of, it.at())));
    }

    private static boolean isInWindow(Decision decision, long at) {
        return at >= decision.at() && at <= decision.at() + 1_000L * decision.windowMs();
    }
}
