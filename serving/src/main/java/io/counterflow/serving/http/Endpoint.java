package io.counterflow.serving.http;

import io.vertx.core.Future;

/** One call of the API. Its work never blocks: it runs on the thread that serves connections. */
public interface Endpoint {

    /** Where it is found. */
    Route route();

    /**
     * Answers a call. An {@link IllegalArgumentException} is what the caller did wrong, a {@link
     * ProblemException} any other refusal; both may be thrown or be the future's failure.
     */
    Future<Reply> handle(Call call);
}
