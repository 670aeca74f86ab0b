package io.counterflow.serving.personalizer;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.ProblemException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Finds the loop of a call of Personalizer, which has no name in its path: the only loop of its
 * token, or else the configured one.
 */
public final class LoopOfCall {

    /** What paths under {@code /personalizer} start with. */
    static final String PREFIX = "/personalizer/{apiVersion}";

    /** The versions of the API differ in what they have, but not in the calls that exist here. */
    private static final Pattern VERSION = Pattern.compile("v1\\.[0-9][0-9A-Za-z.-]{0,30}");

    private final PolicyStore policies;
    private final Optional<String> configured;

    /**
     * @param configured the loop of tokens that are not limited to one loop
     */
    public LoopOfCall(PolicyStore policies, Optional<String> configured) {
        this.policies = policies;
        this.configured = configured;
    }

    /** The loop as it is served. */
    ServedLoop served(Call call) {
        String loop = of(call);
        return policies.loop(loop).orElseThrow(() -> ProblemException.notServed(loop, policies));
    }

    /** The name of the loop, which need not exist, but which the caller may use. */
    String of(Call call) {
        if (!VERSION.matcher(call.path("apiVersion")).matches()) {
            throw ProblemException.notFound();
        }
        String loop =
                call.caller()
                        .onlyLoop()
                        .or(() -> configured)
                        .orElseThrow(
                                () ->
                                        new ProblemException(
                                                404,
                                                "unknown-loop",
                                                "the call has no loop: set"
                                                        + " serving.personalizer-loop, or send a"
                                                        + " token that is limited to one loop"));
        if (!call.caller().mayUse(loop)) {
            throw ProblemException.loopNotAllowed();
        }
        return loop;
    }
}
