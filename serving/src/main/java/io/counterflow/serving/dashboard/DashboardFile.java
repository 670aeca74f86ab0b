package io.counterflow.serving.dashboard;

import io.counterflow.core.text.Sha256;
import io.counterflow.serving.http.Reply;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** One file of the page. Browsers keep it, and ask each time whether it has changed. */
final class DashboardFile {

    private static final int TAG_DIGITS = 32;

    private final Reply reply;

    private DashboardFile(Reply reply) {
        this.reply = reply;
    }

    static DashboardFile read(String name) {
        byte[] content;
        try (InputStream in = DashboardFile.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing from the program");
            }
            content = in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new DashboardFile(
                Reply.of(200, contentType(name), Buffer.buffer(content))
                        .with("etag", '"' + digest(content) + '"')
                        .with("cache-control", "no-cache")
                        .with("cross-origin-opener-policy", "same-origin")
                        .with("cross-origin-resource-policy", "same-origin")
                        .with("permissions-policy", "camera=(), geolocation=(), microphone=()"));
    }

    private static String contentType(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "html" -> "text/html; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            case "js" -> "text/javascript; charset=utf-8";
            case "svg" -> "image/svg+xml";
            default -> throw new IllegalArgumentException("what " + name + " is must be known");
        };
    }

    private static String digest(byte[] content) {
        return Sha256.hex(content).substring(0, TAG_DIGITS);
    }

    Reply reply() {
        return reply;
    }
}
