package io.counterflow.core.loop;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * How probable the chosen action of one example was under the policies of the moment.
 *
 * @param activeVersion the logging policy
 * @param active its π(a|x)
 * @param candidateVersion the candidate that is judged
 * @param candidate its π(a|x); 0 if there is none
 * @param previous that of the version before; 0 if there is none
 * @param uniform one over the number of allowed actions
 * @param logging that of the version which decided; empty if it is none of these
 */
public record Judgement(
        long activeVersion,
        double active,
        OptionalLong candidateVersion,
        double candidate,
        double previous,
        double uniform,
        OptionalDouble logging) {}
