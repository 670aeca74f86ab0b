package io.counterflow.serving.http;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** A document that is part of the program, such as {@code GET /openapi.yaml}. */
public final class DocumentEndpoint implements Endpoint {

    private final Route route;
    private final String contentType;
    private final Buffer content;

    /**
     * @param resource its absolute name among the program's resources
     */
    public DocumentEndpoint(String path, String contentType, String resource) {
        this.route = Route.open(path);
        this.contentType = contentType;
        this.content = read(resource);
    }

    private static Buffer read(String resource) {
        try (InputStream in = DocumentEndpoint.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing from the program");
            }
            return Buffer.buffer(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Route route() {
        return route;
    }

    @Override
    public Future<Reply> handle(Call call) {
        return Future.succeededFuture(Reply.of(200, contentType, content));
    }
}
