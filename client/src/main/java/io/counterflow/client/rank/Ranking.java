package io.counterflow.client.rank;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
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

    /** Writes the field {@code ranking}. Unknown probabilities are left out. */
    public static void write(RankedDecision ranked, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("ranking");
        for (Entry entry : of(ranked)) {
            json.writeStartObject();
            json.writeStringField("id", entry.id());
            if (entry.probability().isPresent()) {
                json.writeNumberField("probability", entry.probability().getAsDouble());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
