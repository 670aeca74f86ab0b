package io.counterflow.serving.policies;

import io.counterflow.client.policies.KnownVersion;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Problem;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.Route;
import io.vertx.core.Future;
import java.util.Optional;

/** {@code GET /v1/loops/{loop}/policies/{version}}: all about one version but its weights. */
public final class GetPolicyEndpoint implements Endpoint {

    private static final Route ROUTE = Route.get("/v1/loops/{loop}/policies/{version}", Scope.READ);

    private final PolicyStore policies;

    public GetPolicyEndpoint(PolicyStore policies) {
        this.policies = policies;
    }

    @Override
    public Route route() {
        return ROUTE;
    }

    @Override
    public Future<Reply> handle(Call call) {
        String name = call.path("loop");
        ServedLoop loop =
                policies.loop(name).orElseThrow(() -> Problem.unknownLoop(name).asException());
        long version = version(call.path("version"));
        Optional<KnownVersion> known =
                loop.versions().stream().filter(it -> it.version() == version).findAny();
        if (known.isEmpty() && version != loop.spec().startingVersion()) {
            throw Problem.of(
                            404,
                            "unknown-version",
                            "version %d is not among those that are kept".formatted(version))
                    .asException();
        }
        return Future.succeededFuture(
                Reply.json(
                        200,
                        json -> {
                            if (known.isPresent()) {
                                VersionJson.write(loop, known.get(), json);
                            } else {
                                VersionJson.writeStart(loop, json);
                            }
                        }));
    }

    private static long version(String text) {
        if (!text.matches("[0-9]{1,18}")) {
            throw new IllegalArgumentException("version must be a whole number of at least 0");
        }
        return Long.parseLong(text);
    }
}
