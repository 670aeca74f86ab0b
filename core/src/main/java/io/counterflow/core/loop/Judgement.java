package io.counterflow.core.loop;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The probabilities of the chosen action of an example under the current policies.
 *
 * @param activeVersion the logging policy
 * @param active its π(a|x)
 * @param candidateVersion the candidate
 * @param candidate its π(a|x); 0 if there is none
 * @param previous π(a|x) of the previous version; 0 if there is none
 * @param uniform π(a|x) of the uniform policy
 * @param logging π(a|x) of the version that decided; empty if it is another version
 */
public record Judgement(
        long activeVersion,
        double active,
        OptionalLong candidateVersion,
        double candidate,
        double previous,
        double uniform,
        OptionalDouble logging) {}
