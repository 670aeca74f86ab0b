package io.counterflow.cli.demo;

import java.util.OptionalDouble;

/**
 * A version that decided, and what came of it.
 *
 * @param version its number
 * @param examples joined examples that it logged, in windows that are over
 * @param meanReward their mean reward; NaN while there are none
 * @param lowerBound the gate's lower bound on its value when it was promoted, from what the version
 *     before had logged; empty for the version that the loop started with
 * @param trueValue its true value; empty while it is not known
 */
public record Generation(
        long version,
        long examples,
        double meanReward,
        OptionalDouble lowerBound,
        OptionalDouble trueValue) {}
