package io.counterflow.cli.exports;

import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;

/**
 * The columns of exported decisions, and one row of them. The columns that the Open Bandit Pipeline
 * has too have its names: context, action_context, action, position, reward, pscore and pi_b.
 */
final class DecisionColumns {

    private static final MessageType NAMED = schemaOf(false);
    private static final MessageType DENSE = schemaOf(true);

    private final MessageType schema;
    private final RecordConsumer row;

    /**
     * @param dense whether contexts are dense vectors
     */
    DecisionColumns(boolean dense, RecordConsumer row) {
        this.schema = schema(dense);
        this.row = row;
    }

    static MessageType schema(boolean dense) {
        return dense ? DENSE : NAMED;
    }

    private static MessageType schemaOf(boolean dense) {
        return MessageTypeParser.parseMessageType(
                """
                message decision {
                  required int64 timestamp (TIMESTAMP(MICROS, true));
                  required binary event_id (STRING);
                  required binary loop (STRING);
                  required int64 policy_version;
                  %s
                  optional binary action_context (STRING);
                  optional int32 n_actions;
                  required int32 action;
                  optional binary action_id (STRING);
                  optional int32 policy_action;
                  required int32 position;
                  optional double reward;
                  optional double guardrail_reward;
                  optional double pscore;
                  optional binary pscore_kind (STRING);
                  optional group pi_b (LIST) { repeated group list { required double element; } }
                  optional group excluded_actions (LIST) { repeated group list { required int32 element; } }
                }
                """
                        .formatted(
                                dense
                                        ? "required group context (LIST) { repeated group list { required float element; } }"
                                        : "required binary context (STRING);"));
    }

    private void field(String name, Runnable value) {
        int index = schema.getFieldIndex(name);
        row.startField(name, index);
        value.run();
        row.endField(name, index);
    }

    void time(String name, Instant time) {
        long micros = time.getEpochSecond() * 1_000_000L + time.getNano() / 1_000;
        field(name, () -> row.addLong(micros));
    }

    void text(String name, String value) {
        field(name, () -> row.addBinary(Binary.fromString(value)));
    }

    void whole(String name, long value) {
        field(name, () -> row.addLong(value));
    }

    void integer(String name, int value) {
        field(name, () -> row.addInteger(value));
    }

    void number(String name, OptionalDouble value) {
        if (value.isPresent()) {
            field(name, () -> row.addDouble(value.getAsDouble()));
        }
    }

    void numbers(String name, List<Double> values) {
        list(name, values.size(), i -> row.addDouble(values.get(i)));
    }

    void floats(String name, float[] values) {
        list(name, values.length, i -> row.addFloat(values[i]));
    }

    void integers(String name, int[] values) {
        list(name, values.length, i -> row.addInteger(values[i]));
    }

    /** Writes one element of a list. */
    private interface Element {
        void write(int index);
    }

    private void list(String name, int size, Element element) {
        field(
                name,
                () -> {
                    row.startGroup();
                    if (size > 0) {
                        row.startField("list", 0);
                        IntStream.range(0, size).forEach(i -> element(element, i));
                        row.endField("list", 0);
                    }
                    row.endGroup();
                });
    }

    private void element(Element element, int index) {
        row.startGroup();
        row.startField("element", 0);
        element.write(index);
        row.endField("element", 0);
        row.endGroup();
    }
}
