package io.counterflow.serving.rank;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Comparator;
import java.util.stream.IntStream;

/** All actions as answers list them: the chosen one, then the others, the most probable first. */
public final class Ranking {

    private Ranking() {}

    /** Writes the field {@code ranking}. Probabilities that nobody knows are left out. */
    public static void write(RankedDecision ranked, JsonGenerator json) throws IOException {
        double[] probabilities = ranked.decision().distribution();
        int chosen = ranked.decision().action();
        json.writeArrayFieldStart("ranking");
        writeAction(ranked, chosen, ranked.decision().propensity(), json);
        int[] others =
                IntStream.range(0, ranked.actionIds().size())
                        .filter(action -> action != chosen)
                        .boxed()
                        .sorted(
                                Comparator.comparingDouble(
                                        action -> -probability(probabilities, action)))
                        .mapToInt(Integer::intValue)
                        .toArray();
        for (int action : others) {
            writeAction(ranked, action, probability(probabilities, action), json);
        }
        json.writeEndArray();
    }

    private static double probability(double[] probabilities, int action) {
        return probabilities.length == 0 ? -1.0 : probabilities[action];
    }

    private static void writeAction(
            RankedDecision ranked, int action, double probability, JsonGenerator json)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("id", ranked.actionIds().get(action));
        if (probability >= 0.0) {
            json.writeNumberField("probability", probability);
        }
        json.writeEndObject();
    }
}
