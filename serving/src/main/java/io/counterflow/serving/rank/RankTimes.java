package io.counterflow.serving.rank;

import java.util.OptionalDouble;

/**
 * How long decisions took lately, from the request until Kafka has acknowledged them, in seconds.
 *
 * @param median empty without decisions
 * @param percentile99 the time within which 99 of 100 decisions were taken
 */
public record RankTimes(OptionalDouble median, OptionalDouble percentile99) {}
