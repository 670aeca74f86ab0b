package io.counterflow.serving.personalizer;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonDocument;
import io.counterflow.serving.http.JsonFields;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The settings of a loop as Personalizer's service configuration. What a loop cannot change has a
 * fixed value, and any other value is refused.
 */
final class ServiceConfiguration {

    private static final String EARLIEST = "earliest";

    /** Each model decides as soon as it is there: what {@code immediate} means. */
    private static final String ONLINE = "Online";

    private static final String APPRENTICE = "Apprentice";

    private final long logRetentionDays;

    /**
     * @param logRetention how long the journal is kept, for all loops
     */
    ServiceConfiguration(Duration logRetention) {
        this.logRetentionDays = logRetention.toDays();
    }

    void write(LoopSpec spec, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField(
                "rewardWaitTime", spec.get(LoopSettings.ATTRIBUTION_WINDOW).toString());
        json.writeNumberField("defaultReward", spec.get(LoopSettings.DEFAULT_REWARD));
        json.writeStringField(
                "rewardAggregation", nameOf(spec.get(LoopSettings.REWARD_AGGREGATION)));
        json.writeNumberField("explorationPercentage", spec.get(LoopSettings.EXPLORATION_FLOOR));
        json.writeStringField(
                "modelExportFrequency", spec.get(LoopSettings.SNAPSHOT_INTERVAL).toString());
        json.writeBooleanField("logMirrorEnabled", false);
        json.writeNumberField("logRetentionDays", logRetentionDays);
        json.writeStringField("lastConfigurationEditDate", spec.time().toString());
        json.writeStringField("learningMode", spec.isApprentice() ? APPRENTICE : ONLINE);
        json.writeBooleanField("isAutoOptimizationEnabled", false);
        json.writeEndObject();
    }

    /** Reads a configuration. Settings that it does not have stay as they are. */
    Consumer<LoopSpec.Builder> read(Buffer body) {
        List<Consumer<LoopSpec.Builder>> changes = new ArrayList<>();
        JsonFields.read(body, (name, json) -> changes.add(change(name, json)));
        return builder -> changes.forEach(it -> it.accept(builder));
    }

    private Consumer<LoopSpec.Builder> change(String name, JsonDocument json) throws IOException {
        return switch (name) {
            case "rewardWaitTime" -> {
                Duration window = duration(name, json);
                yield it -> it.set(LoopSettings.ATTRIBUTION_WINDOW, window);
            }
            case "defaultReward" -> {
                double reward = json.number(name);
                yield it -> it.set(LoopSettings.DEFAULT_REWARD, reward);
            }
            case "rewardAggregation" -> {
                RewardAggregation aggregation = aggregation(name, json.text(name));
                yield it -> it.set(LoopSettings.REWARD_AGGREGATION, aggregation);
            }
            case "explorationPercentage" -> {
                double share = json.number(name);
                Require.share(share, name);
                yield it -> it.set(LoopSettings.EXPLORATION_FLOOR, share);
            }
            case "modelExportFrequency" -> {
                Duration interval = duration(name, json);
                yield it -> it.set(LoopSettings.SNAPSHOT_INTERVAL, interval);
            }
            case "logRetentionDays" -> {
                Require.that(
                        json.integer(name) == logRetentionDays,
                        "logRetentionDays must be %d or absent, because kafka.log-retention sets"
                                + " it for all loops",
                        logRetentionDays);
                yield ServiceConfiguration::nothing;
            }
            case "learningMode" -> learningMode(json.text(name));
            case "logMirrorEnabled", "isAutoOptimizationEnabled" -> {
                Require.that(!json.flag(name), "%s must be false, got true", name);
                yield ServiceConfiguration::nothing;
            }
            // Without meaning while their flags are false, or set by the server.
            case "logMirrorSasUri",
                    "autoOptimizationFrequency",
                    "autoOptimizationStartDate",
                    "lastConfigurationEditDate" -> {
                json.skip();
                yield ServiceConfiguration::nothing;
            }
            default -> throw JsonFields.unknown(name);
        };
    }

    private static Consumer<LoopSpec.Builder> learningMode(String mode) {
        return switch (mode) {
            case APPRENTICE -> it -> it.set(LoopSettings.ROLLOUT_MODE, RolloutMode.APPRENTICE);
            case ONLINE ->
                    it -> {
                        if (it.get(LoopSettings.ROLLOUT_MODE) == RolloutMode.APPRENTICE) {
                            it.set(LoopSettings.ROLLOUT_MODE, RolloutMode.IMMEDIATE);
                        }
                    };
            default ->
                    throw new IllegalArgumentException(
                            "learningMode must be Online or Apprentice, got another");
        };
    }

    private static void nothing(LoopSpec.Builder unchanged) {}

    private static Duration duration(String name, JsonDocument json) {
        Duration duration = JsonDocument.duration(json.text(name), name);
        Require.wholeMillis(duration, name);
        return duration;
    }

    private static String nameOf(RewardAggregation aggregation) {
        return aggregation == RewardAggregation.FIRST ? EARLIEST : JsonName.of(aggregation);
    }

    private static RewardAggregation aggregation(String field, String text) {
        String name = text.toLowerCase(Locale.ROOT);
        return Stream.of(RewardAggregation.values())
                .filter(it -> nameOf(it).equals(name))
                .findAny()
                .orElseThrow(
                        () ->
                                new InvalidJsonException(
                                        field, "must be earliest, sum, last or max, got another"));
    }
}
