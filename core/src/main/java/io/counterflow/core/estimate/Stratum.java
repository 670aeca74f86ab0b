package io.counterflow.core.estimate;

/**
 * The statistics of the examples of one logging policy.
 *
 * @param policyVersion the logging policy
 * @param count n<sub>k</sub>
 * @param mean mean of its weighted rewards
 * @param variance variance of one weighted reward, shrunk towards the pooled one
 * @param weight its share in the combined estimate; the weights of all strata add up to one
 */
public record Stratum(
        long policyVersion, long count, double mean, double variance, double weight) {}
