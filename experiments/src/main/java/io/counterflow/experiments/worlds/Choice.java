package io.counterflow.experiments.worlds;

import io.counterflow.core.policy.Decision;

/**
 * A decision of an agent.
 *
 * @param version version of the policy that decided; 0 for agents without versions
 */
record Choice(Decision decision, long version) {}
