package io.counterflow.cli.traffic;

import java.util.function.IntToDoubleFunction;

/**
 * One user who comes.
 *
 * @param context what is known of the user, as the JSON object that {@code rank} takes
 * @param rewardProbability the probability of a reward, by action
 */
public record Visit(String context, IntToDoubleFunction rewardProbability) {}
