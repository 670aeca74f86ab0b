package io.counterflow.client.policies;

import io.counterflow.core.policy.Policy;

/**
 * One version, as it decides under the spec in force.
 *
 * @param version what impressions log
 * @param policy draws actions and states with which probability
 */
public record ServedPolicy(long version, Policy policy) {}
