package io.counterflow.serving.http;

import io.counterflow.core.numeric.Require;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that a proxy on their way may read differently (RFC 9112): if the two find
 * another end, host or token in the same bytes, one request can be hidden in another one.
 *
 * <p>Netty's decoder refuses malformed lines and chunks, several lengths, and a length beside
 * chunks.
 */
final class RequestHead {

    private static final Pattern AUTHORITY =
            Pattern.compile("([A-Za-z0-9._~-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]*)?");
    private static final Pattern URL =
            Pattern.compile("https?://([^/?#]*).*", Pattern.CASE_INSENSITIVE);

    /** Which of several counts depends on the reader. */
    private static final List<CharSequence> AT_MOST_ONCE =
            List.of(
                    HttpHeaders.HOST,
                    HttpHeaders.ORIGIN,
                    HttpHeaders.AUTHORIZATION,
                    HttpHeaders.createOptimized(Authorization.SUBSCRIPTION_KEY));

    /** Of a draft of WebSocket. After both, the decoder takes eight bytes for a body. */
    private static final List<CharSequence> WEBSOCKET_DRAFT =
            List.of(
                    HttpHeaders.createOptimized("sec-websocket-key1"),
                    HttpHeaders.createOptimized("sec-websocket-key2"));

    private RequestHead() {}

    /** After a refusal, nobody knows where the next request of the connection starts. */
    static void require(HttpServerRequest request) {
        MultiMap headers = request.headers();
        requireFraming(headers);
        Require.that(!headers.contains(""), "a header must have a name");
        for (CharSequence header : AT_MOST_ONCE) {
            Require.that(
                    headers.getAll(header).size() <= 1,
                    "the header %s must be given at most once",
                    header);
        }
        String host = headers.get(HttpHeaders.HOST);
        Require.that(
                host == null
                        ? request.version() == HttpVersion.HTTP_1_0
                        : AUTHORITY.matcher(host).matches(),
                "the header host must be a name or an address, and a port if need be");
        requireTarget(request.uri(), host);
    }

    private static void requireFraming(MultiMap headers) {
        List<String> encodings = headers.getAll(HttpHeaders.TRANSFER_ENCODING);
        Require.that(
                encodings.isEmpty()
                        || (encodings.size() == 1 && encodings.get(0).equalsIgnoreCase("chunked")),
                "transfer-encoding must be chunked, if given");
        Require.that(
                WEBSOCKET_DRAFT.stream().noneMatch(headers::contains),
                "drafts of WebSocket are not supported");
    }

    /** A path, or a URL. The host of a URL counts, so it must not be another one. */
    private static void requireTarget(String target, @Nullable String host) {
        Require.that(
                target.chars().allMatch(it -> it > ' ' && it < '\u007f'),
                "the target must be percent-encoded as URLs are");
        if (!target.startsWith("/") && !target.equals("*")) {
            Matcher url = URL.matcher(target);
            Require.that(
                    url.matches() && url.group(1).equalsIgnoreCase(host),
                    "the target must be a path, or a URL with the same host as the header host");
        }
    }
}
