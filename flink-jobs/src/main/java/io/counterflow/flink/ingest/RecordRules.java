package io.counterflow.flink.ingest;

import io.counterflow.core.spec.LoopName;
import io.counterflow.core.text.PlainName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Rules for records of all topics. */
public final class RecordRules {

    private static final Instant EARLIEST = Instant.parse("2000-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private final IngestLimits limits;

    public RecordRules(IngestLimits limits) {
        this.limits = limits;
    }

    void checkSize(byte[] value) throws BrokenRuleException {
        require(
                value.length <= limits.maxRecordBytes(),
                IngestRule.TOO_LARGE,
                "value must not be larger than",
                limits.maxRecordBytes() + " bytes",
                value.length);
    }

    /** Checks the length of an id. */
    public void checkName(String field, String name) throws BrokenRuleException {
        require(
                !name.isEmpty() && name.length() <= limits.maxNameLength(),
                IngestRule.NAME,
                field + " must have between 1 and",
                limits.maxNameLength() + " characters",
                name.length());
    }

    public void checkLoop(String loop) throws BrokenRuleException {
        checkName("loop", loop);
        if (!PlainName.isValid(loop, LoopName.MAX_LENGTH)) { // not quoted: may be user data
            throw new BrokenRuleException(
                    IngestRule.NAME, PlainName.rule("loop", LoopName.MAX_LENGTH));
        }
    }

    /** Checks that a time is plausible and not ahead of the Kafka timestamp. */
    public void checkTime(Instant time, long kafkaTimestampMs) throws BrokenRuleException {
        require(
                kafkaTimestampMs >= 0,
                IngestRule.TIME,
                "Kafka's timestamp must be",
                "there",
                kafkaTimestampMs);
        checkPlausible(time);
        Instant latest = Instant.ofEpochMilli(kafkaTimestampMs).plus(limits.maxClockSkew());
        require(!time.isAfter(latest), IngestRule.TIME, "time must not be after", latest, time);
    }

    public void checkPlausible(Instant time) throws BrokenRuleException {
        require(
                !time.isBefore(EARLIEST),
                IngestRule.TIME,
                "time must not be before",
                EARLIEST,
                time);
        require(!time.isAfter(LATEST), IngestRule.TIME, "time must not be after", LATEST, time);
    }

    public void checkReward(String field, double value) throws BrokenRuleException {
        require(
                value >= 0.0 && value <= 1.0,
                IngestRule.REWARD,
                field + " must be in",
                "[0, 1]",
                value);
    }

    /** Checks a reward that may be absent. */
    public void checkOptionalReward(String field, @Nullable Double value)
            throws BrokenRuleException {
        if (value != null) {
            checkReward(field, value);
        }
    }

    static void require(
            boolean holds, IngestRule rule, String must, Object bound, @Nullable Object got)
            throws BrokenRuleException {
        if (!holds) {
            throw new BrokenRuleException(rule, must + " " + bound + ", got " + got);
        }
    }
}
