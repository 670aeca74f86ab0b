package io.counterflow.cli.imports;

import io.counterflow.core.log.Impression;
import io.counterflow.schemas.json.ImpressionJson;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.log.TextLines;

/** Counterflow's own JSON lines. */
final class Jsonl extends LineLog {

    private final ImpressionJson json = new ImpressionJson(JsonLimits.defaults());
    private final RewardMapping rewards;

    Jsonl(RewardMapping rewards) {
        this.rewards = rewards;
    }

    @Override
    Impression parse(TextLines line, String eventId, Intake intake) {
        requireComplete(line);
        return json.read(line.bytes(), 0, line.length(), eventId, rewards);
    }
}
