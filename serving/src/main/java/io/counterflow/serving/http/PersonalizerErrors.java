package io.counterflow.serving.http;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Problems of calls under {@code /personalizer} as clients of Azure Personalizer parse them: {@code
 * {"error": {"code", "message", "target", "innerError": {"code"}}}}. The inner code is the kind of
 * problem, and the target is the event that must be sent again.
 */
final class PersonalizerErrors {

    private static final String PATHS = "/personalizer/";

    private PersonalizerErrors() {}

    /** Whether the problems of a path have this form. */
    static boolean apply(String path) {
        return path.startsWith(PATHS);
    }

    static Reply reply(ProblemException problem) {
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("code", code(problem));
        error.put("message", problem.detail());
        Object eventId = problem.extensions().get("eventId");
        if (eventId != null) {
            error.put("target", eventId);
        }
        error.put("innerError", Map.of("code", problem.name()));
        return problem.withRetryAfter(Reply.json(problem.status(), Map.of("error", error)));
    }

    /** The codes that Personalizer documents, and the status where its gateway refused a call. */
    private static String code(ProblemException problem) {
        return switch (problem.status()) {
            case 400 -> "BadRequest";
            case 404 -> "ResourceNotFound";
            case 409, 412 -> "UpdateConfigurationFailed";
            case 413 -> "PayloadSizeExceeded";
            case 500 -> "InternalServerError";
            default -> Integer.toString(problem.status());
        };
    }
}
