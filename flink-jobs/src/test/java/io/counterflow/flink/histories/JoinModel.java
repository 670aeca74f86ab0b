package io.counterflow.flink.histories;

import io.counterflow.core.log.RewardMetric;
import io.counterflow.flink.histories.Checkpoint.Arrival;
import io.counterflow.flink.histories.Meaning.Decision;
import io.counterflow.flink.histories.Meaning.Retraction;
import io.counterflow.flink.histories.Meaning.Reward;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What must become of the records of one event: the rules of docs/streaming.md, as if nothing ever
 * failed and everything were in one place. Its input is what the join took, one after the other,
 * with the watermark at that time.
 *
 * <p>Times are milliseconds and microseconds after the start of the history.
 */
final class JoinModel {

    /** An example: the impression, and the reward of its decision. */
    record Example(
            Sent.Place impression,
            long timeMicros,
            double reward,
            OptionalDouble guardrail,
            String origin,
            int rewards) {}

    /** A record that was not used, and why. */
    record Late(Sent.Place record, String reason) {}

    /** What came of an event. */
    record Outcome(List<Example> examples, List<Late> late, int retracted) {}

    private static final long MICROS = 1_000L;
    private static final long WAIT_MICROS = Simulation.IMPRESSION_WAIT.toMillis() * MICROS;

    /** An impression that Kafka stored later than this is from an old log. */
    private static final long LIVE_MICROS = 30_000_000L;

    /** An answer whose window is open. */
    private static final class Answer {
        private final Sent sent;
        private final Decision decision;
        private final long endMicros;
        private boolean retracted;
        private boolean conflicting;

        Answer(Sent sent, Decision decision) {
            this.sent = sent;
            this.decision = decision;
            long stored = sent.appendedMs() * MICROS;
            boolean live = stored > decision.at() && stored - decision.at() <= LIVE_MICROS;
            // Callers count from when they have the answer, which is when Kafka has it.
            this.endMicros =
                    decision.reward().isPresent()
                            ? decision.at()
                            : (live ? stored : decision.at()) + decision.windowMs() * MICROS;
        }

        long closesAtMs() {
            return Math.floorDiv(endMicros, MICROS);
        }

        boolean isPrejoined() {
            return decision.reward().isPresent();
        }

        /** Why feedback of a time does not count; null if it does. */
        @Nullable String refuses(long atMicros) {
            if (isPrejoined()) {
                return "ALREADY_REWARDED";
            } else if (atMicros > endMicros) {
                return "REWARD_AFTER_WINDOW";
            } else if (atMicros < decision.at() - WAIT_MICROS) {
                return "REWARD_BEFORE_IMPRESSION";
            }
            return null;
        }

        boolean isSameAs(Answer other) {
            return decision.answeredAt(0).equals(other.decision.answeredAt(0));
        }
    }

    private final List<Answer> open = new ArrayList<>(); // in the order of arrival
    private final List<Sent> feedback = new ArrayList<>(); // each reward once
    private final List<Example> examples = new ArrayList<>();
    private final List<Late> late = new ArrayList<>();
    private int retracted;

    static Outcome of(List<Arrival> arrivals) {
        JoinModel model = new JoinModel();
        for (Arrival arrival : arrivals) {
            model.closeUntil(arrival.watermarkMs());
            model.take(arrival.sent(), arrival.watermarkMs());
        }
        model.closeUntil(Long.MAX_VALUE);
        return new Outcome(model.examples, model.late, model.retracted);
    }

    /** The watermark at which the window of an impression closes. */
    static long closesAtMs(Sent sent, Decision decision) {
        return new Answer(sent, decision).closesAtMs();
    }

    /** Ends what is over at a watermark: windows, and the waiting for an impression. */
    private void closeUntil(long watermarkMs) {
        while (true) {
            Answer next =
                    open.stream()
                            .min(Comparator.comparingLong(Answer::closesAtMs)) // the first of them
                            .orElse(null);
            if (next == null || next.closesAtMs() > watermarkMs) {
                break;
            }
            close(next);
        }
        if (open.isEmpty()) {
            for (Sent waiting : List.copyOf(feedback)) {
                if (isOrphaned(waiting, watermarkMs)) {
                    feedback.remove(waiting);
                    late(waiting, "ORPHANED");
                }
            }
        }
    }

    private static boolean isOrphaned(Sent feedback, long watermarkMs) {
        return Math.floorDiv(feedback.meaning().at() + WAIT_MICROS, MICROS) <= watermarkMs;
    }

    private void take(Sent sent, long watermarkMs) {
        Meaning meaning = sent.meaning();
        if (meaning instanceof Decision decision) {
            takeAnswer(new Answer(sent, decision), watermarkMs);
        } else if (meaning instanceof Retraction retraction) {
            for (Answer answer : open) {
                if (answer.decision.at() == retraction.at() && !answer.retracted) {
                    answer.retracted = true;
                    retracted++;
                }
            }
        } else {
            takeFeedback(sent, watermarkMs);
        }
    }

    private void takeAnswer(Answer answer, long watermarkMs) {
        if (answer.closesAtMs() <= watermarkMs) {
            late(answer.sent, "IMPRESSION_AFTER_ITS_WINDOW");
        } else if (open.stream().anyMatch(it -> isCopy(it.sent, answer.sent))) {
            return; // a copy
        } else if (!open.isEmpty()
                && (answer.isPrejoined() || open.stream().anyMatch(Answer::isPrejoined))) {
            late(answer.sent, "CONFLICTING_IMPRESSION"); // one was learned from already
        } else if (open.size() >= Job.MAX_FEEDBACK) {
            late(answer.sent, "TOO_MUCH_FEEDBACK");
        } else {
            open.add(answer);
            if (answer.isPrejoined()) {
                Decision decision = answer.decision;
                examples.add(
                        new Example(
                                answer.sent.place(),
                                answer.endMicros,
                                decision.reward().getAsDouble(),
                                decision.guardrail(),
                                "PREJOINED",
                                0));
            }
            if (open.size() == 1) {
                for (Sent waiting : List.copyOf(feedback)) {
                    String refused = answer.refuses(waiting.meaning().at());
                    if (refused != null) {
                        feedback.remove(waiting);
                        late(waiting, refused);
                    }
                }
            }
        }
    }

    private static boolean isCopy(Sent one, Sent other) {
        return Arrays.equals(one.value(), other.value());
    }

    private void takeFeedback(Sent sent, long watermarkMs) {
        String refused = refused(sent, watermarkMs);
        if (refused != null) {
            late(sent, refused);
            return;
        }
        for (int i = 0; i < feedback.size(); i++) {
            Meaning known = feedback.get(i).meaning();
            if (isSame(known, sent.meaning())) {
                if (precedes(sent.meaning(), known)) {
                    feedback.set(i, sent);
                }
                return;
            }
        }
        if (feedback.size() >= Job.MAX_FEEDBACK) {
            late(sent, "TOO_MUCH_FEEDBACK");
        } else {
            feedback.add(sent);
        }
    }

    /** Feedback counts if it is in the window of any answer. */
    private @Nullable String refused(Sent sent, long watermarkMs) {
        if (open.isEmpty()) {
            return isOrphaned(sent, watermarkMs) ? "ORPHANED" : null;
        }
        String refused = null;
        for (Answer answer : open) {
            String reason = answer.refuses(sent.meaning().at());
            if (reason == null) {
                return null;
            }
            refused = "REWARD_AFTER_WINDOW".equals(refused) ? refused : reason;
        }
        return refused;
    }

    /** Rewards are told apart by their ids, and activations by their times. */
    private static boolean isSame(Meaning one, Meaning other) {
        if (one instanceof Reward first && other instanceof Reward second) {
            return first.id().equals(second.id()) && first.metric() == second.metric();
        }
        return !(one instanceof Reward) && !(other instanceof Reward) && one.at() == other.at();
    }

    /** Of two rewards with the same id, the earlier one counts. */
    private static boolean precedes(Meaning one, Meaning other) {
        return one instanceof Reward first
                && other instanceof Reward second
                && IN_ORDER.compare(first, second) < 0;
    }

    private static final Comparator<Reward> IN_ORDER =
            Comparator.comparingLong(Reward::at)
                    .thenComparing(Reward::id)
                    .thenComparingDouble(Reward::value);

    private void close(Answer answer) {
        open.remove(answer);
        if (answer.isPrejoined()) {
            return;
        }
        if (answer.retracted) {
            if (open.isEmpty()) {
                lateFeedback("RETRACTED");
            }
            return;
        }
        List<Answer> others = open.stream().filter(it -> !it.retracted).toList();
        if (others.isEmpty()) {
            complete(answer);
        } else if (answer.conflicting || !others.stream().allMatch(answer::isSameAs)) {
            late(answer.sent, "CONFLICTING_IMPRESSION");
            open.forEach(it -> it.conflicting = true);
        } // otherwise the last one stands for all
    }

    private void complete(Answer answer) {
        if (answer.conflicting) {
            late(answer.sent, "CONFLICTING_IMPRESSION");
            lateFeedback("CONFLICTING_IMPRESSION");
            return;
        }
        Decision decision = answer.decision;
        boolean shown = !decision.deferred();
        List<Reward> rewards = new ArrayList<>();
        List<Reward> guardrail = new ArrayList<>();
        List<Sent> used = new ArrayList<>();
        for (Sent sent : feedback) {
            if (!(sent.meaning() instanceof Reward reward)) {
                shown = true;
            } else if (reward.metric() == RewardMetric.REWARD) {
                rewards.add(reward);
                used.add(sent);
            } else if (decision.guardrail().isPresent()) {
                guardrail.add(reward);
                used.add(sent);
            } else {
                late(sent, "NO_GUARDRAIL");
            }
        }
        feedback.clear();
        if (!shown) {
            used.forEach(it -> late(it, "NOT_ACTIVATED"));
            return;
        }
        examples.add(
                new Example(
                        answer.sent.place(),
                        answer.endMicros,
                        reward(decision, rewards, decision.defaultReward(), decision.zero()),
                        decision.guardrail().isPresent()
                                ? OptionalDouble.of(
                                        reward(
                                                decision,
                                                guardrail,
                                                decision.guardrail().getAsDouble(),
                                                0.0))
                                : OptionalDouble.empty(),
                        rewards.isEmpty() ? "DEFAULTED" : "OBSERVED",
                        rewards.size()));
    }

    private static double reward(
            Decision decision, List<Reward> rewards, double byDefault, double zero) {
        if (rewards.isEmpty()) {
            return byDefault;
        }
        List<Reward> ordered = rewards.stream().sorted(IN_ORDER).toList();
        return switch (decision.aggregation()) {
            case FIRST -> ordered.get(0).value();
            case LAST -> ordered.get(ordered.size() - 1).value();
            case MAX -> ordered.stream().mapToDouble(Reward::value).max().getAsDouble();
            case SUM -> {
                double sum = zero;
                for (Reward reward : ordered) {
                    sum += reward.value() - zero;
                }
                yield Math.min(1.0, Math.max(0.0, sum));
            }
        };
    }

    private void lateFeedback(String reason) {
        feedback.forEach(it -> late(it, reason));
        feedback.clear();
    }

    private void late(Sent sent, String reason) {
        late.add(new Late(sent.place(), reason));
    }
}
