package io.counterflow.cli.imports;

import io.counterflow.core.log.Impression;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.log.TextLines;

/**
 * Vowpal Wabbit's decision-service JSON, as Azure Personalizer logs it: one event on every line.
 * The reward is minus the cost.
 */
final class Dsjson extends LineLog {

    private final String loop;
    private final RewardMapping rewards;
    private final ModelNumbers models = new ModelNumbers();

    Dsjson(String loop, RewardMapping rewards) {
        this.loop = loop;
        this.rewards = rewards;
    }

    @Override
    Impression parse(TextLines line, String eventId, Intake intake) {
        requireComplete(line);
        DsjsonEvent event;
        try {
            event =
                    JsonDocument.read(
                            JsonLimits.defaults(),
                            line.bytes(),
                            0,
                            line.length(),
                            document -> new DsjsonEvent(JsonLimits.defaults()).read(document));
        } catch (InvalidJsonException e) {
            throw new RejectedRecordException(reason(e.field()), String.valueOf(e.getMessage()));
        }
        return event.toImpression(loop, eventId, rewards, models, intake);
    }

    private static Rejection reason(String field) {
        String first = field.split("[.\\[]", 2)[0];
        return switch (first) {
            case "" -> Rejection.MALFORMED;
            case "_label_cost", "_original_label_cost" -> Rejection.REWARD;
            case "_label_probability", "p", "pdrop" -> Rejection.PROPENSITY;
            case "_label_Action", "_labelIndex", "a" -> Rejection.ACTION;
            case "c" -> Rejection.FEATURES;
            default -> Rejection.FIELD;
        };
    }
}
