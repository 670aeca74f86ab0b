package io.counterflow.cli.imports;

import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.OptionalDouble;

/** Builds decisions whose reward is known. */
final class Decisions {

    private Decisions() {}

    static Impression of(
            String eventId,
            String loop,
            long policyVersion,
            Instant time,
            Context context,
            Choice choice,
            double reward) {
        return new Impression(
                eventId,
                loop,
                policyVersion,
                0,
                time,
                context,
                choice,
                RewardRule.none(),
                OptionalDouble.of(reward));
    }

    /** An ISO-8601 time. A space may stand for the T. */
    static Instant time(String field, String text) {
        try {
            return OffsetDateTime.parse(text.replace(' ', 'T')).toInstant();
        } catch (DateTimeException e) {
            throw new RejectedRecordException(
                    Rejection.FIELD,
                    field + " must be ISO-8601 with an offset, like 2026-01-01T00:00:00Z");
        }
    }

    /** A propensity, or a rejection. */
    static double propensity(String field, double value) {
        if (!(value > 0.0 && value <= 1.0)) {
            throw new RejectedRecordException(
                    Rejection.PROPENSITY, field + " must be in (0, 1], got " + value);
        }
        return value;
    }
}
