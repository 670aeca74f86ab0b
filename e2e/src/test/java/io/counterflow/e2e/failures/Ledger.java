package io.counterflow.e2e.failures;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * What callers were told: each answer to a request for a decision, and each acknowledged reward.
 */
final class Ledger {

    /** The fields of an answer that the log must agree with. */
    record Answer(int action, double propensity, long policyVersion) {}

    /**
     * A reward that was acknowledged.
     *
     * @param value in [0, 1]
     */
    record Reward(String rewardId, double value) {}

    /** A decision that was asked for, perhaps several times. */
    static final class Decision {

        private final String loop;
        private final String eventId;
        private final boolean deferred;
        private final List<String> requests = new CopyOnWriteArrayList<>();
        private final Map<String, Reward> rewards = new ConcurrentHashMap<>();
        private volatile @Nullable Answer answer;
        private volatile boolean activated;

        private Decision(String loop, String eventId, boolean deferred) {
            this.loop = loop;
            this.eventId = eventId;
            this.deferred = deferred;
        }

        String loop() {
            return loop;
        }

        String eventId() {
            return eventId;
        }

        boolean deferred() {
            return deferred;
        }

        /** Notes a request for the decision. */
        void asked(String request) {
            requests.add(request);
        }

        /** The requests for the decision and what came of each. */
        List<String> requests() {
            return requests;
        }

        void answered(Answer given) {
            answer = given;
        }

        /** The answer that the caller acted on; null if there was none. */
        @Nullable Answer answer() {
            return answer;
        }

        void activated() {
            activated = true;
        }

        /** Whether an activation was acknowledged. */
        boolean isActivated() {
            return activated;
        }

        void rewarded(Reward reward) {
            rewards.put(reward.rewardId(), reward);
        }

        Collection<Reward> rewards() {
            return rewards.values();
        }
    }

    private final Map<String, Decision> decisions = new ConcurrentHashMap<>();

    Decision newDecision(String loop, String eventId, boolean deferred) {
        Decision decision = new Decision(loop, eventId, deferred);
        decisions.put(eventId, decision);
        return decision;
    }

    Map<String, Decision> decisions() {
        return decisions;
    }

    long answered() {
        return decisions.values().stream().filter(it -> it.answer() != null).count();
    }

    long acknowledgedRewards() {
        return decisions.values().stream().mapToLong(it -> it.rewards().size()).sum();
    }

    /** Writes it to a file, to look for the cause of a fault. */
    void write(Path file) throws IOException {
        try (PrintWriter out =
                new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8))) {
            for (Decision decision : decisions.values()) {
                out.printf(
                        "%s %s activated=%b %s%n  %s%n",
                        decision.eventId(),
                        decision.answer(),
                        decision.isActivated(),
                        decision.rewards(),
                        String.join("\n  ", decision.requests()));
            }
        }
    }
}
