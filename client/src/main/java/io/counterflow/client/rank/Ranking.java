package io.counterflow.client.rank;

import io.counterflow.schemas.json.JsonText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/** The order of actions in replies: the chosen action, then the others by probability. */
public final class Ranking {

    private Ranking() {}

    /**
     * A ranked action.
     *
     * @param probability its probability; empty if it is unknown
     */
    public record Entry(String id, OptionalDouble probability) {}

    /** The ranked actions of a decision. */
    public static List<Entry> of(RankedDecision ranked) {
        double[] probabilities = ranked.decision().distribution();
        int chosen = ranked.decision().action();
        List<Entry> ranking = new ArrayList<>(ranked.actionIds().size());
        ranking.add(
                new Entry(ranked.actionId(), OptionalDouble.of(ranked.decision().propensity())));
        IntStream.range(0, ranked.actionIds().size())
                .filter(action -> action != chosen)
                .boxed()
                .sorted(
                        Comparator.comparingDouble(
                                action -> probabilities.length == 0 ? 0 : -probabilities[action]))
                .forEach(action -> ranking.add(entry(ranked, probabilities, action)));
        return ranking;
    }

    private static Entry entry(RankedDecision ranked, double[] probabilities, int action) {
        return new Entry(
                ranked.actionIds().get(action),
                probabilities.length == 0
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(probabilities[action]));
    }

    /** Appends the list of a decision as JSON. Unknown probabilities are left out. */
    public static void append(RankedDecision ranked, StringBuilder json) {
        char separator = '[';
        for (Entry entry : of(ranked)) {
            json.append(separator).append("{\"id\":");
            JsonText.append(entry.id(), json);
            if (entry.probability().isPresent()) {
                json.append(",\"probability\":");
                JsonText.append(entry.probability().getAsDouble(), json);
            }
            json.append('}');
            separator = ',';
        }
        json.append(']');
    }
}
