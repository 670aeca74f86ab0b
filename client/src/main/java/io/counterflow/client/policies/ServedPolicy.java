package io.counterflow.client.policies;

import io.counterflow.core.policy.Policy;

/**
 * A version under the spec in force.
 *
 * @param version the version that impressions log
 * @param policy draws actions with their probabilities
 */
public record ServedPolicy(long version, Policy policy) {}
