package io.counterflow.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JsonOutputTest {

    @SuppressWarnings("ArrayRecordComponent") // only written, never compared
    private record Estimate(long n, double ips, double[] interval, float[] weights) {}

    static String toJson(Object result) {
        StringWriter text = new StringWriter();
        JsonOutput.write(result, text);
        return text.toString();
    }

    @Test
    void fieldsKeepTheOrderOfTheRecord() {
        Estimate estimate = new Estimate(3, 0.1, new double[] {0.0, 0.25}, new float[] {0.1f});
        assertThat(toJson(estimate))
                .isEqualTo("{\"n\":3,\"ips\":0.1,\"interval\":[0.0,0.25],\"weights\":[0.1]}");
    }

    @Test
    void numbersThatAreNotFiniteBecomeNull() {
        Estimate estimate =
                new Estimate(
                        0,
                        Double.NaN,
                        new double[] {Double.NEGATIVE_INFINITY, 1.0},
                        new float[] {Float.NaN, Float.POSITIVE_INFINITY});
        assertThat(toJson(estimate))
                .isEqualTo(
                        "{\"n\":0,\"ips\":null,\"interval\":[null,1.0],\"weights\":[null,null]}");
    }

    @Test
    void nestedAndBoxedNumbersBecomeNullToo() {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("list", Arrays.asList(1.5, Double.NaN, null));
        result.put("matrix", new double[][] {{Double.NaN}, {2.0}});
        result.put("tree", JsonNodeFactory.instance.numberNode(Double.POSITIVE_INFINITY));
        result.put("map", Map.of("low", Float.NEGATIVE_INFINITY));
        assertThat(toJson(result))
                .isEqualTo(
                        "{\"list\":[1.5,null,null],\"matrix\":[[null],[2.0]],\"tree\":null,"
                                + "\"map\":{\"low\":null}}");
    }

    @Test
    void timesDurationsAndPathsAreText() {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("time", Instant.parse("2026-01-01T00:00:00Z"));
        result.put("window", Duration.ofMinutes(3));
        result.put("log", Path.of("log.jsonl"));
        assertThat(toJson(result))
                .isEqualTo(
                        "{\"time\":\"2026-01-01T00:00:00Z\",\"window\":\"PT3M\","
                                + "\"log\":\"log.jsonl\"}");
    }

    @Test
    void aResultMustBeAnObject() {
        assertThatThrownBy(() -> toJson(List.of(1, 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must become a JSON object");
    }
}
