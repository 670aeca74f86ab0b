package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A call of the OpenAPI document.
 *
 * @param scope the scope that its token must have; empty for a call that needs no token
 * @param body a valid body, or an empty object; empty without a body
 */
record DescribedCall(String method, String template, Optional<String> scope, String body) {

    private static final List<String> METHODS =
            List.of("get", "put", "post", "delete", "patch", "head", "options", "trace");
    private static final Pattern SCOPE = Pattern.compile("Needs the scope ([a-z]+)\\b");
    private static final Pattern PARAMETER = Pattern.compile("\\{(\\w+)}");
    private static final String PERSONALIZER = "/personalizer/";

    private static final Map<String, String> VALUES =
            Map.of(
                    "eventId", "visit-1",
                    "version", "0",
                    "apiVersion", "v1.0",
                    "file", "app.js",
                    "fingerprint", "0123456789abcdef");

    /** All calls of a document. */
    static List<DescribedCall> all(String openApi) throws IOException {
        List<DescribedCall> calls = new ArrayList<>();
        for (Map.Entry<String, JsonNode> path :
                new YAMLMapper().readTree(openApi).get("paths").properties()) {
            for (String method : METHODS) {
                JsonNode call = path.getValue().get(method);
                if (call != null) {
                    calls.add(
                            new DescribedCall(
                                    method.toUpperCase(Locale.ROOT),
                                    path.getKey(),
                                    scopeOf(path.getKey(), call),
                                    bodyOf(call)));
                }
            }
        }
        return calls;
    }

    private static Optional<String> scopeOf(String path, JsonNode call) {
        if (call.has("security")) {
            assertThat(call.get("security")).as(path).isEmpty();
            return Optional.empty();
        }
        Matcher scope = SCOPE.matcher(call.path("description").asText());
        assertThat(scope.find()).as("%s names its scope", path).isTrue();
        return Optional.of(scope.group(1));
    }

    private static String bodyOf(JsonNode call) {
        if (!call.has("requestBody")) {
            return "";
        }
        for (JsonNode example :
                call.at("/requestBody/content/application~1json").path("examples")) {
            return example.get("value").toString();
        }
        return "{}";
    }

    /** Whether the path has no loop, and the token or the configuration chooses it. */
    boolean isOfPersonalizer() {
        return template.startsWith(PERSONALIZER);
    }

    boolean namesALoop() {
        return template.contains("{loop}");
    }

    /** The path with a loop, and with values of the other parameters. */
    String path(String loop) {
        return PARAMETER
                .matcher(template)
                .replaceAll(
                        name -> {
                            String value =
                                    name.group(1).equals("loop") ? loop : VALUES.get(name.group(1));
                            assertThat(value).as("a value for %s", name.group()).isNotNull();
                            return Matcher.quoteReplacement(value);
                        });
    }

    @Override
    public String toString() {
        return method + " " + template;
    }
}
