package io.counterflow.serving.http;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;

/** Reads the body of a request, up to a limit, or skips it. */
final class BodyReader {

    /** Limit on reading a refused body. A connection with a longer one is closed. */
    static final int MAX_SKIPPED = 64 << 10;

    private final HttpServerRequest request;
    private final OpenConnection connection;
    private final BodyMemory memory;
    private final Buffer body = Buffer.buffer();
    private final Promise<Buffer> promise = Promise.promise();
    private String client = "";
    private long taken; // from the memory
    private boolean ended;

    BodyReader(HttpServerRequest request, OpenConnection connection, BodyMemory memory) {
        this.request = request;
        this.connection = connection;
        this.memory = memory;
    }

    /**
     * Reads the body. A client that waits for permission to send it gets it now.
     *
     * @param sender the client, for its share of the memory
     * @param maxBytes a longer body is refused
     */
    Future<Buffer> read(String sender, int maxBytes) {
        client = sender;
        long declared = declaredLength();
        if (declared > maxBytes) {
            throw tooLarge(maxBytes);
        }
        takeMemory(declared);
        request.exceptionHandler(
                e -> promise.tryFail(new IllegalArgumentException("the body is incomplete", e)));
        request.handler(piece -> take(piece, maxBytes));
        request.endHandler(ignored -> complete());
        if (isAwaitingPermission()) {
            var unused = request.response().writeContinue();
        }
        return promise.future();
    }

    /** The length in the head, or 0. */
    private long declaredLength() {
        String declared = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        try {
            return declared == null ? 0 : Long.parseLong(declared);
        } catch (NumberFormatException e) {
            return Long.MAX_VALUE;
        }
    }

    private void take(Buffer piece, int maxBytes) {
        try {
            long length = body.length() + (long) piece.length();
            if (length > maxBytes) {
                throw tooLarge(maxBytes);
            }
            if (taken == 0 && length > HttpLimits.LARGE_BODY) { // without a length in its head
                takeMemory(maxBytes);
            }
            body.appendBuffer(piece);
        } catch (ProblemException e) {
            skip();
            promise.tryFail(e);
        }
    }

    private void takeMemory(long bytes) {
        if (bytes > HttpLimits.LARGE_BODY) {
            if (!memory.take(client, bytes)) {
                throw new ProblemException(
                        503, "overloaded", "too many large requests are waiting; send it again");
            }
            taken = bytes;
        }
    }

    /** Gives the memory of the body back. Idempotent. */
    void release() {
        if (taken > 0) {
            memory.release(client, taken);
            taken = 0;
        }
    }

    private static ProblemException tooLarge(int maxBytes) {
        return new ProblemException(
                413, "body-too-large", "the body must be at most %d bytes".formatted(maxBytes));
    }

    private void complete() {
        ended = true;
        connection.bodyRead();
        String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
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

    private boolean isAwaitingPermission() {
        String expected = request.getHeader(HttpHeaders.EXPECT);
        return expected != null && expected.equalsIgnoreCase("100-continue");
    }

    /**
     * Skips the rest of the body, up to a limit.
     *
     * @return whether the connection will be closed, because there may be more
     */
    boolean skip() {
        if (ended) {
            return false;
        }
        boolean isLong =
                declaredLength() > MAX_SKIPPED
                        || request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
                        || isAwaitingPermission();
        if (isLong) {
            connection.closeSoon();
        }
        long[] skipped = {0};
        request.exceptionHandler(e -> {});
        request.handler(
                piece -> {
                    skipped[0] += piece.length();
                    if (skipped[0] > MAX_SKIPPED) {
                        request.pause(); // until the connection is closed
                    }
                });
        request.endHandler(
                ignored -> {
                    ended = true;
                    connection.bodyRead();
                });
        return isLong;
    }
}
