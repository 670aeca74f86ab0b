package io.counterflow.serving.diagnosis;

import static io.counterflow.serving.diagnosis.Format.number;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Recent records that were not used.
 *
 * @param reasons the most frequent first
 */
public record UnusedRecords(FlowCount count, List<ReasonCount> reasons) {

    private static final UnusedRecords NONE = new UnusedRecords(FlowCount.none(), List.of());

    /** Limit on the reasons in a sentence. */
    private static final int MAX_NAMED = 3;

    public UnusedRecords {
        reasons = List.copyOf(reasons);
    }

    public static UnusedRecords none() {
        return NONE;
    }

    /** The most frequent reason; empty without records. */
    String mainRule() {
        return reasons.isEmpty() ? "" : reasons.get(0).rule();
    }

    /** The numbers by reason, and the newest record of the most frequent one. */
    String words() {
        if (reasons.isEmpty()) {
            return "";
        }
        String numbers =
                reasons.stream()
                        .limit(MAX_NAMED)
                        .map(it -> number(it.count()) + " " + it.rule())
                        .collect(Collectors.joining(", "));
        int more = reasons.size() - MAX_NAMED;
        return " %s%s. The newest: %s."
                .formatted(
                        numbers,
                        more > 0 ? ", and " + more + " other reasons" : "",
                        reasons.get(0).newest());
    }
}
