package io.counterflow.schemas.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.schemas.Draws;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class ImpressionJsonTest {

    private final ImpressionJson json = new ImpressionJson(JsonLimits.defaults());

    static LongStream seeds() {
        return LongStream.range(0, 500);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aRoundTripChangesNothing(long seed) {
        Impression impression = new Draws(seed).impression();
        String line = json.write(impression);
        assertThat(line).doesNotContain("\n");
        assertThat(json.read(line)).isEqualTo(impression);
    }

    @Test
    void readsTheDenseLineOfTheContract() {
        Impression read =
                json.read(
                        """
                        {"eventId":"e-1","loop":"home","policyVersion":3,
                         "time":"2026-01-01T00:00:00Z",
                         "context":{"dense":[0.1,0.0,0.7]}, "action":2, "propensity":0.31,
                         "reward":1.0}
                        """);
        assertThat(read.eventId()).isEqualTo("e-1");
        assertThat(read.loop()).isEqualTo("home");
        assertThat(read.policyVersion()).isEqualTo(3);
        assertThat(read.time()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(read.context()).isEqualTo(new Context.Vector(DenseVector.of(0.1f, 0.0f, 0.7f)));
        assertThat(read.choice().action()).isEqualTo(2);
        assertThat(read.choice().propensity()).hasValue(0.31);
        assertThat(read.reward()).hasValue(1.0);
    }

    @Test
    void readsTheNamedLineOfTheContract() {
        Impression read =
                json.read(
                        """
                        {"eventId":"e-2","loop":"home","policyVersion":3,
                         "time":"2026-01-01T00:00:01Z",
                         "context":{"features":{"user":{"country":"de","age":0.3}}},
                         "actions":[{"id":"a","features":{"topic":"sport"}},
                                    {"id":"b","features":{"topic":"news"}}],
                         "action":0, "propensity":0.5, "distribution":[0.5,0.5], "reward":0.0}
                        """);
        assertThat(read.context())
                .isEqualTo(
                        new Context.Named(
                                named(
                                        "user",
                                        new NamedFeatures(
                                                List.of(
                                                        entry(
                                                                "country",
                                                                new FeatureValue.Text("de")),
                                                        entry(
                                                                "age",
                                                                new FeatureValue.Quantity(0.3))))),
                                List.of(
                                        new NamedAction(
                                                "a",
                                                named("topic", new FeatureValue.Text("sport"))),
                                        new NamedAction(
                                                "b",
                                                named("topic", new FeatureValue.Text("news"))))));
        assertThat(read.choice().distribution()).containsExactly(0.5, 0.5);
    }

    private static NamedFeatures named(String name, FeatureValue value) {
        return new NamedFeatures(List.of(entry(name, value)));
    }

    private static NamedFeatures.Entry entry(String name, FeatureValue value) {
        return new NamedFeatures.Entry(name, value);
    }

    @Test
    void excludedActionsAreASetOfPositions() {
        Impression read =
                json.read(
                        "{\"eventId\":\"e\",\"context\":{\"dense\":[1]},\"action\":1,"
                                + "\"propensity\":0.5,\"excludedActions\":[4,0,4]}");
        assertThat(read.choice().allowed()).isEqualTo(AllowedActions.allBut(0, 4));
        assertThat(json.write(read)).contains("\"excludedActions\":[0,4]");
        assertThat(json.read(json.write(read))).isEqualTo(read);
    }

    @Test
    void aForeignLogNeedsOnlyContextAndAction() {
        byte[] line =
                "{\"context\":{\"dense\":[1]},\"action\":0,\"note\":[{}]}"
                        .getBytes(StandardCharsets.UTF_8);
        Impression read = json.read(line, 0, line.length, "line-1");
        assertThat(read.eventId()).isEqualTo("line-1");
        assertThat(read.choice().propensity()).isEmpty();
        assertThat(read.reward()).isEqualTo(OptionalDouble.empty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[] | must be a JSON object, got an array",
                "{} {} | must be given",
                "{\"action\":0} | context must be given",
                "{C} | action must be given",
                "{C,\"action\":-1} | action must be in [0, 2147483647], got -1",
                "{C,\"action\":0.5} | action must be a whole number, got one with a fraction",
                "{C,\"action\":\"a\"} | action must be a whole number, got a string",
                "{C,\"action\":99999999999999999999} | action must be a whole number of 64 bits",
                "{C,\"action\":0,\"propensity\":0} | propensity must be in (0, 1], got 0.0",
                "{C,\"action\":0,\"propensity\":1.5} | propensity must be in (0, 1], got 1.5",
                "{C,\"action\":0,\"propensity\":1e999} | propensity must be a finite number",
                "{C,\"action\":0,\"propensity\":NaN} | must be JSON, is malformed at column",
                "{C,\"action\":0, | must be JSON, ends before the object does",
                "{C,\"action\":0,\"reward\":-0.1} | reward must be in [0, 1], got -0.1",
                "{C,\"action\":0,\"time\":\"noon\"} | time must be ISO-8601",
                "{C,\"action\":0,\"distribution\":[0.5]} | distribution must sum to 1, got 0.5",
                "{C,\"action\":1,\"distribution\":[1.0]} | action must be below 1",
                "{C,\"action\":0,\"propensity\":0.4,\"distribution\":[0.5,0.5]} |"
                        + " distribution[0] must equal the propensity 0.4, got 0.5",
                "{C,\"action\":0,\"action\":0} | action must be given once",
                "{C,\"action\":0,\"actions\":[{\"id\":\"a\"}]} | actions must be absent",
                "{C,\"action\":0,\"excludedActions\":[0]} | excludedActions must not hold the chosen",
                "{C,\"action\":0,\"excludedActions\":[-1]} | excludedActions[0] must be in [0,",
                "{C,\"action\":0,\"excludedActions\":1} | excludedActions must be an array",
                "{\"context\":{\"features\":{}},\"actions\":[{\"id\":\"a\"},{\"id\":\"b\"}],"
                        + "\"action\":0,\"excludedActions\":[2]} | excludedActions must be below 2",
                "{C,\"action\":0,\"propensityKind\":\"new\"} | propensityKind must be one of exact",
                "{\"context\":{\"dense\":[1e39]},\"action\":0} | context.dense must be a finite",
                "{\"context\":{\"dense\":[\"x\"]},\"action\":0} | context.dense must be a finite",
                "{\"context\":{},\"action\":0} | context must be given with one of dense",
                "{\"context\":{\"dense\":null,\"sparse\":{}},\"action\":0} | context must be given with",
                "{\"context\":{\"dense\":[1],\"features\":{\"a\":1}},\"action\":0} | features, got several",
                "{\"context\":{\"features\":{},\"dense\":[1],\"sparse\":{\"dimension\":1,\"indices\":[],"
                        + "\"values\":[]}},\"action\":0} | features, got several",
                "{\"context\":{\"dense\":[],\"dense\":[1]},\"action\":0} | must have dense once",
                "{\"context\":{\"features\":{},\"features\":{}},\"action\":0} | must have features once",
                "{\"context\":{\"dense\":[1],\"other\":1},\"action\":0} | got another field",
                "{\"context\":{\"sparse\":{\"indices\":[]}},\"action\":0} | must have dimension, indices",
                "{\"context\":{\"sparse\":{\"dimension\":2,\"indices\":[2],\"values\":[1]}}} |"
                        + " context.sparse is not a vector",
                "{\"context\":{\"features\":{\"a\":1e999}},\"action\":0} | context.features must be",
                "{\"context\":{\"features\":{\"a\":\"\\ud800\"}},\"action\":0} | valid Unicode",
                "{\"context\":{\"features\":{}},\"actions\":[{\"id\":\"a\"},{\"id\":\"a\"}],"
                        + "\"action\":0} | actions[1].id must be unique",
                "{\"context\":{\"features\":{}},\"actions\":[{\"id\":\"a\"}],\"action\":1} |"
                        + " action must be below 1, the number of actions, got 1",
                "{C,\"action\":0 | must be JSON",
            })
    void aMessageNamesTheFieldAndWhatItMustBe(String line, String message) {
        String text = line.replace("{C", "{\"eventId\":\"e\",\"context\":{\"dense\":[1.0]}");
        if (!text.contains("eventId") && text.startsWith("{")) {
            text = "{\"eventId\":\"e\"," + text.substring(1);
        }
        String input = text.replace(",}", "}");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> json.read(input))
                .withMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"dense\":[1],\"sparse\":null,\"features\":null} | {\"dense\":[1.0]}",
                "{\"sparse\":{},\"features\":{},\"dense\":[1]} | {\"dense\":[1.0]}",
                "{\"dense\":[],\"features\":{\"a\":1}} | {\"features\":{\"a\":1.0}}",
                "{\"features\":{\"a\":1},\"dense\":[],\"sparse\":{}} | {\"features\":{\"a\":1.0}}",
                "{\"dense\":[],\"sparse\":null,\"features\":{}} | {\"features\":{}}",
                "{\"dense\":[],\"features\":{},\"sparse\":{\"dimension\":2,\"indices\":[1],\"values\":[1]}}"
                        + " | {\"sparse\":{\"dimension\":2,\"indices\":[1],\"values\":[1.0]}}",
                "{\"dense\":[]} | {\"dense\":[]}",
            })
    void theEmptyAlternativesOfAContextAreIgnored(String given, String read) {
        String line = "{\"eventId\":\"e\",\"context\":%s,\"actions\":[],\"action\":0}";
        assertThat(json.write(json.read(line.formatted(given)))).contains("\"context\":" + read);
    }

    @Test
    void messagesNeverQuoteFeatureValues() {
        for (String features :
                List.of(
                        "{\"a\":secret}",
                        "{\"a\":\"secret}",
                        "{\"secret\":[1,}",
                        "{\"a\":1e9secret}")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () ->
                                    json.read(
                                            "{\"eventId\":\"e\",\"context\":{\"features\":"
                                                    + features
                                                    + "},\"action\":0}"))
                    .satisfies(e -> assertThat(e).hasMessageNotContaining("secret"));
        }
    }

    @Test
    void limitsHold() {
        ImpressionJson strict = new ImpressionJson(new JsonLimits(8, 20, 5, 2));
        String deep = "{\"a\":".repeat(10) + "1" + "}".repeat(10);
        assertBeyond(strict, deep, "[]", "beyond a limit");
        assertBeyond(strict, "{\"a\":\"" + "x".repeat(21) + "\"}", "[]", "beyond a limit");
        assertBeyond(strict, "{\"a\":[1,2,3,4,5]}", "[]", "more than 5 feature values");
        assertBeyond(strict, "{}", "[{\"id\":\"a\"},{\"id\":\"b\"},{\"id\":\"c\"}]", "more than 2");
    }

    private static void assertBeyond(
            ImpressionJson strict, String features, String actions, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                strict.read(
                                        "{\"eventId\":\"e\",\"context\":{\"features\":%s},\"actions\":%s,\"action\":0}"
                                                .formatted(features, actions)))
                .withMessageContaining(message);
    }
}
