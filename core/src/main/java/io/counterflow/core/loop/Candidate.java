package io.counterflow.core.loop;

import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.snapshot.Certificate;
import java.util.Optional;

/**
 * A policy that a loop has learned, frozen.
 *
 * @param version its number within the loop
 * @param parentVersion the version that was its prior
 * @param model its parameters
 * @param examples fresh examples of this generation that it was learned from; what its ancestors
 *     learned from is theirs
 * @param certificate what the buffer says about it; empty while the prior has logged nothing that
 *     is in the buffer
 */
public record Candidate(
        long version,
        long parentVersion,
        LinearModel model,
        long examples,
        Optional<Certificate> certificate) {}
