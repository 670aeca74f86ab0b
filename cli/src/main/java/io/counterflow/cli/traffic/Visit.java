package io.counterflow.cli.traffic;

import io.counterflow.core.log.Context;
import java.util.function.IntToDoubleFunction;

/**
 * One visit of a simulated user.
 *
 * @param context the context of the decision
 * @param rewardProbability the probability of a reward, by action
 */
record Visit(Context context, IntToDoubleFunction rewardProbability) {}
