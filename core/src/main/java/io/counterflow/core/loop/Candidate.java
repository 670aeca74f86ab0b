package io.counterflow.core.loop;

import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.snapshot.Certificate;
import java.util.Optional;

/**
 * A frozen policy that a loop has learned.
 *
 * @param version its number within the loop
 * @param parentVersion the version that was its prior
 * @param model its parameters
 * @param examples number of fresh examples of this generation that it was learned from, without
 *     those of its ancestors
 * @param certificate estimates and bounds from the buffer; empty if the buffer has no examples of
 *     the prior
 */
public record Candidate(
        long version,
        long parentVersion,
        LinearModel model,
        long examples,
        Optional<Certificate> certificate) {}
