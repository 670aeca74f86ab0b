package io.counterflow.serving.http;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

/** Reads the body of a request, up to a limit. */
final class BodyReader {

    /** Limit on reading a refused body, which lets the sender read the reply. */
    private static final long MAX_DISCARDED = 256L << 20;

    private final HttpServerRequest request;
    private final int maxBytes;
    private final Buffer body = Buffer.buffer();
    private final Promise<Buffer> promise = Promise.promise();

    BodyReader(HttpServerRequest request, int maxBytes) {
        this.request = request;
        this.maxBytes = maxBytes;
    }

    Future<Buffer> read() {
        String declared = request.getHeader("content-length");
        if (declared != null && isTooLong(declared)) {
            refuse();
            return promise.future();
        }
        request.exceptionHandler(
                e -> promise.tryFail(new IllegalArgumentException("the body is incomplete", e)));
        request.handler(
                piece -> {
                    if (body.length() + (long) piece.length() > maxBytes) {
                        refuse();
                    } else {
                        body.appendBuffer(piece);
                    }
                });
        request.endHandler(ignored -> complete());
        return promise.future();
    }

    private boolean isTooLong(String declared) {
        try {
            return Long.parseLong(declared) > maxBytes;
        } catch (NumberFormatException e) {
            return true;
        }
    }

    private void complete() {
        String type = request.getHeader("content-type");
        // Only JSON, because pages of other sites can send other types without asking.
        if (body.length() > 0 && (type == null || !type.startsWith(Reply.JSON))) {
            promise.tryFail(
                    new ProblemException(
                            415,
                            "unsupported-media-type",
                            "content-type must be application/json"));
        } else {
            promise.tryComplete(body);
        }
    }

    private void refuse() {
        discard(request);
        promise.tryFail(
                new ProblemException(
                        413,
                        "body-too-large",
                        "the body must be at most %d bytes".formatted(maxBytes)));
    }

    /** Skips the rest of a body; closes the connection if it is too long. */
    static void discard(HttpServerRequest request) {
        long[] discarded = {0};
        request.exceptionHandler(e -> {});
        request.handler(
                piece -> {
                    discarded[0] += piece.length();
                    if (discarded[0] > MAX_DISCARDED) {
                        var unused = request.connection().close();
                    }
                });
    }
}
