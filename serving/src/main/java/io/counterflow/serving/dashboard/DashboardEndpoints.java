package io.counterflow.serving.dashboard;

import io.counterflow.schemas.text.Sha256;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.ProblemException;
import io.counterflow.serving.http.Reply;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The dashboard's page at {@code /}, and its files. They need no token, but the calls that the page
 * makes do. Browsers cache the files and ask each time whether they have changed.
 */
public final class DashboardEndpoints {

    /** A fixed list, so that no path leads to another file. */
    private static final List<String> FILES =
            List.of(
                    "app.js",
                    "charts.js",
                    "format.js",
                    "overview.js",
                    "pipeline.js",
                    "server.js",
                    "versions.js",
                    "views.js",
                    "style.css",
                    "icon.svg");

    private static final int TAG_DIGITS = 32;

    private DashboardEndpoints() {}

    public static List<Endpoint> endpoints() {
        Reply page = read("index.html");
        Map<String, Reply> files =
                FILES.stream()
                        .collect(Collectors.toMap(Function.identity(), DashboardEndpoints::read));
        return List.of(
                Endpoint.open("/", call -> page),
                Endpoint.open(
                        "/dashboard/{file}",
                        call -> {
                            Reply file = files.get(call.path("file"));
                            if (file == null) {
                                throw ProblemException.notFound();
                            }
                            return file;
                        }));
    }

    private static Reply read(String name) {
        Reply file = Reply.resource(DashboardEndpoints.class, name, contentType(name));
        String digest = Sha256.hex(file.body().getBytes());
        return file.with("etag", '"' + digest.substring(0, TAG_DIGITS) + '"')
                .with("cache-control", "no-cache")
                .with("cross-origin-opener-policy", "same-origin")
                .with("cross-origin-resource-policy", "same-origin")
                .with("permissions-policy", "camera=(), geolocation=(), microphone=()");
    }

    private static String contentType(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "html" -> "text/html; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            case "js" -> "text/javascript; charset=utf-8";
            case "svg" -> "image/svg+xml";
            default -> throw new IllegalArgumentException("no content type for " + name);
        };
    }
}
