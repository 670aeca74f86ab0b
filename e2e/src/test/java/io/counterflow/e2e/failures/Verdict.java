package io.counterflow.e2e.failures;

import io.counterflow.e2e.failures.Ledger.Answer;
import io.counterflow.e2e.failures.Ledger.Decision;
import io.counterflow.e2e.failures.Ledger.Reward;
import io.counterflow.e2e.failures.TopicLog.Example;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.JournalRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Compares what callers were told with what is on the topics. Nothing else is asked: no metric, no
 * counter and no log.
 */
final class Verdict {

    private final TopicLog log;
    private final List<String> faults = new ArrayList<>();
    private final Map<String, Integer> fates = new TreeMap<>();
    private final List<String> unaccounted = new ArrayList<>();

    Verdict(Ledger ledger, TopicLog log) {
        this.log = log;
        for (Decision decision : ledger.decisions().values()) {
            check(decision);
        }
        for (String eventId : log.exampleEvents()) {
            Decision decision = ledger.decisions().get(eventId);
            if (decision == null || decision.answer() == null) {
                faults.add(eventId + " is learned from, but nobody got an answer");
            }
        }
        checkJournal();
    }

    private void check(Decision decision) {
        Answer answer = decision.answer();
        if (answer == null) {
            fate("not answered");
            return;
        }
        String id = decision.eventId();
        List<ImpressionRecord> copies = log.impressions(id);
        if (copies.stream().noneMatch(it -> answerOf(it).equals(answer))) {
            faults.add(id + " was answered as logged, but is not on impressions as answered");
        }
        if (copies.size() > decision.requests().size()) {
            faults.add(
                    "%s is on impressions %d times after %d requests"
                            .formatted(id, copies.size(), decision.requests().size()));
        }
        List<Example> examples = log.examples(id);
        List<String> reasons = log.unusedDecision(id);
        if (isAskedAgainAfterItsWindow(examples)) {
            fate("asked again after its window, and learned twice");
        } else if (examples.size() > 1) {
            faults.add(id + " is in the journal " + examples.size() + " times");
        } else if (examples.size() == 1) {
            fate("learned");
            checkExample(decision, answer, examples.get(0));
        } else {
            notLearned(decision, copies, reasons);
        }
        if (!examples.isEmpty() && reasons.size() > copies.size() - 1) {
            faults.add(id + " is in the journal, and its copies were refused: " + reasons);
        }
        for (Reward reward : decision.rewards()) {
            if (log.rewards(reward.rewardId()) == 0) {
                faults.add(reward.rewardId() + " was acknowledged, but is not on rewards");
            }
        }
    }

    /**
     * The join remembers an event until its window is over. If a serving process is killed between
     * Kafka's acknowledgement and the answer, and the caller asks again after the window, the
     * decision that nobody has seen counts as well.
     */
    private static boolean isAskedAgainAfterItsWindow(List<Example> examples) {
        for (int i = 1; i < examples.size(); i++) {
            ImpressionRecord before = examples.get(i - 1).impression();
            Duration between =
                    Duration.between(before.getTime(), examples.get(i).impression().getTime());
            if (between.toMillis() <= before.getAttributionWindowMs()) {
                return false;
            }
        }
        return examples.size() > 1;
    }

    private void notLearned(
            Decision decision, List<ImpressionRecord> copies, List<String> reasons) {
        String id = decision.eventId();
        if (!reasons.isEmpty()) {
            fate(reasons.get(0));
        } else if (copies.stream().allMatch(log::isRetracted)) {
            fate("retracted");
        } else if (decision.deferred() && !decision.isActivated()) {
            fate("not activated");
        } else if (decision.deferred() && !log.unusedActivation(id).isEmpty()) {
            fate("activated too late");
        } else {
            unaccounted.add(id);
        }
    }

    private void fate(String fate) {
        fates.merge(fate, 1, Integer::sum);
    }

    private static Answer answerOf(ImpressionRecord impression) {
        return new Answer(
                impression.getAction(), impression.getPropensity(), impression.getPolicyVersion());
    }

    private void checkExample(Decision decision, Answer answer, Example example) {
        String id = decision.eventId();
        if (!answerOf(example.impression()).equals(answer)) {
            faults.add(id + " is in the journal with another decision than was answered");
        }
        if (decision.deferred() && !decision.isActivated()) {
            faults.add(id + " is in the journal, but was never activated");
        }
        List<Reward> certain = new ArrayList<>();
        List<Reward> possible = new ArrayList<>();
        for (Reward reward : decision.rewards()) {
            // Of several copies in time, one counts, and the others are dropped without a word.
            boolean isRefused = !log.unusedReward(reward.rewardId()).isEmpty();
            if (!isRefused) {
                certain.add(reward);
            } else if (log.unusedReward(reward.rewardId()).size()
                    < log.rewards(reward.rewardId())) {
                possible.add(reward);
            }
        }
        if (!isReward(example, certain, possible, decision.loop().equals("sums"))) {
            faults.add(
                    "%s has %d rewards and the value %s in the journal, but the rewards %s, perhaps %s"
                            .formatted(id, example.rewards(), example.reward(), certain, possible));
        }
    }

    /** Whether the reward of an example comes from all of some rewards and any of others. */
    private static boolean isReward(
            Example example, List<Reward> certain, List<Reward> possible, boolean isSum) {
        for (int choice = 0; choice < 1 << possible.size(); choice++) {
            List<Reward> counted = new ArrayList<>(certain);
            for (int i = 0; i < possible.size(); i++) {
                if ((choice >> i & 1) == 1) {
                    counted.add(possible.get(i));
                }
            }
            double sum = counted.stream().mapToDouble(Reward::value).sum();
            boolean isValue =
                    (isSum || counted.isEmpty())
                            ? example.reward() == sum
                            : counted.stream().anyMatch(it -> it.value() == example.reward());
            if (isValue && counted.size() == example.rewards()) {
                return true;
            }
        }
        return false;
    }

    private void checkJournal() {
        Map<String, Long> last = new HashMap<>();
        for (JournalRecord entry : log.journal()) {
            long expected = last.merge(entry.getLoop(), 1L, Long::sum);
            if (entry.getSequence() != expected) {
                faults.add(
                        "the journal of %s has %d in place of %d"
                                .formatted(entry.getLoop(), entry.getSequence(), expected));
                return;
            }
        }
    }

    /** What must not be; empty if all is right. */
    List<String> faults() {
        return faults;
    }

    /** Answered decisions that are neither in the journal nor refused yet. */
    List<String> unaccounted() {
        return unaccounted;
    }

    /** Number of records that were not used, by the rule that they broke. */
    Map<String, Integer> rules() {
        return log.rules();
    }

    /** Number of decisions by what became of them. */
    Map<String, Integer> fates() {
        return fates;
    }
}
