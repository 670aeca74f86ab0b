package io.counterflow.serving.stats;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.serving.auth.Caller;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.ClientLimits;
import io.counterflow.serving.http.ClientShares;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.ProblemException;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.pipeline.LoopPipelines;
import io.counterflow.serving.pipeline.PipelineJson;
import io.counterflow.serving.policies.RolloutJson;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * {@code GET /v1/loops/{loop}/stream}: server-sent events for new windows and rollouts, and for the
 * pipeline every two seconds. A slow reader misses events.
 */
public final class StreamEndpoint {

    private static final Duration PIPELINE_INTERVAL = Duration.ofSeconds(2);

    private final Vertx vertx;
    private final PolicyStore policies;
    private final WindowStore windows;
    private final LoopPipelines pipelines;
    private final ClientShares shares;
    private volatile boolean stopping;
    private final Set<Runnable> readers = ConcurrentHashMap.newKeySet(); // ends each

    public StreamEndpoint(
            Vertx vertx,
            PolicyStore policies,
            WindowStore windows,
            LoopPipelines pipelines,
            ClientLimits limits) {
        this.vertx = vertx;
        this.policies = policies;
        this.windows = windows;
        this.pipelines = pipelines;
        this.shares = new ClientShares(limits);
    }

    public Endpoint endpoint() {
        return Endpoint.get("/v1/loops/{loop}/stream", this::handle);
    }

    private Reply handle(Call call) {
        ServedLoop loop = call.loop(policies);
        if (stopping) {
            throw new ProblemException(503, "stopping", "the server is stopping");
        }
        String client = call.client();
        if (!shares.take(client)) {
            throw new ProblemException(
                    503,
                    "too-many-readers",
                    "at most %d streams are served at once, and at most %d to one client"
                            .formatted(shares.limits().total(), shares.limits().perClient()));
        }
        return Reply.streaming(
                        "text/event-stream",
                        response -> stream(loop, call.caller(), client, response))
                .ifUndelivered(() -> shares.release(client));
    }

    private void stream(
            ServedLoop loop, Caller caller, String client, HttpServerResponse response) {
        String name = loop.spec().loop();
        Context context = Objects.requireNonNull(Vertx.currentContext());
        response.setChunked(true);
        Consumer<Buffer> send =
                event ->
                        context.runOnContext(
                                ignored -> {
                                    if (!response.closed()
                                            && !response.ended()
                                            && !response.writeQueueFull()) {
                                        var unused = response.write(event);
                                    }
                                });
        Consumer<ServedLoop> swaps =
                swapped -> {
                    if (swapped.spec().loop().equals(name)) {
                        sendRollout(swapped, send);
                    }
                };
        Consumer<IpsWindowRecord> arrivals =
                window -> {
                    if (window.getLoop().equals(name)) {
                        sendWindow(window, send);
                    }
                };
        policies.onSwap(swaps);
        windows.onWindow(arrivals);
        Runnable end =
                () ->
                        context.runOnContext(
                                ignored -> {
                                    if (!response.closed() && !response.ended()) {
                                        var unused = response.end();
                                    }
                                });
        readers.add(end);
        long timer =
                vertx.setPeriodic(
                        PIPELINE_INTERVAL.toMillis(), ignored -> sendPipeline(name, caller, send));
        response.closeHandler(
                ignored -> {
                    vertx.cancelTimer(timer);
                    policies.removeListener(swaps);
                    windows.removeListener(arrivals);
                    readers.remove(end);
                    shares.release(client);
                });
        send.accept(Buffer.buffer(":\n\n")); // sends the headers
        sendRollout(loop, send);
        sendPipeline(name, caller, send);
    }

    private void sendWindow(IpsWindowRecord window, Consumer<Buffer> send) {
        policies.loop(window.getLoop())
                .ifPresent(
                        loop ->
                                send.accept(
                                        event(
                                                "window",
                                                json ->
                                                        WindowJson.write(
                                                                window,
                                                                loop.spec().rewardRange(),
                                                                json))));
    }

    private void sendPipeline(String name, Caller caller, Consumer<Buffer> send) {
        policies.loop(name)
                .ifPresent(
                        loop ->
                                send.accept(
                                        event(
                                                "pipeline",
                                                json ->
                                                        PipelineJson.write(
                                                                pipelines, loop, caller, json))));
    }

    /** Ends all streams and refuses new ones. */
    public void endAll() {
        stopping = true;
        endOpen();
    }

    /** Ends all streams. New ones are served. */
    public void endOpen() {
        readers.forEach(Runnable::run);
    }

    private static void sendRollout(ServedLoop loop, Consumer<Buffer> send) {
        loop.rollout()
                .ifPresent(
                        rollout ->
                                send.accept(
                                        event(
                                                "rollout",
                                                json ->
                                                        RolloutJson.write(
                                                                rollout,
                                                                loop.spec().rewardRange(),
                                                                json))));
    }

    private static Buffer event(String name, Reply.Writing data) {
        return Buffer.buffer("event: " + name + "\ndata: ")
                .appendBuffer(Reply.json(data))
                .appendString("\n\n");
    }
}
