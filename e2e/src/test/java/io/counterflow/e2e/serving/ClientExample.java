package io.counterflow.e2e.serving;

import io.counterflow.client.ClientSettings;
import io.counterflow.client.CounterflowClient;
import io.counterflow.client.MapFeatures;
import io.counterflow.client.RankAnswer;
import io.counterflow.client.Reward;
import io.counterflow.client.local.LocalDecision;
import io.counterflow.client.local.LocalDecisions;
import io.counterflow.client.local.LocalSettings;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.log.Context;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The examples of README.md and docs/serving.md: programs that put an article on a page. */
final class ClientExample {

    private ClientExample() {}

    static void firstDecision(URI server, Consumer<String> page) throws Exception {
        var client = new CounterflowClient(ClientSettings.of(server));
        RankAnswer decision =
                client.rank(
                        "home",
                        RankRequest.of(
                                new Context.Named(
                                        MapFeatures.of(Map.of("user", Map.of("device", "phone"))),
                                        List.of(
                                                new NamedAction("news", MapFeatures.of(Map.of())),
                                                new NamedAction(
                                                        "sport", MapFeatures.of(Map.of()))))));
        page.accept("show " + decision.actionId());
        client.reward("home", decision.eventId(), Reward.of(1.0));
    }

    static RankRequest visit(String country) {
        return RankRequest.of(
                new Context.Named(
                        MapFeatures.of(Map.of("user", Map.of("country", country, "age", 0.3))),
                        List.of(
                                new NamedAction("derby", MapFeatures.of(Map.of("topic", "sport"))),
                                new NamedAction(
                                        "budget", MapFeatures.of(Map.of("topic", "politics"))))));
    }

    static void overHttp(URI server, String token, Consumer<String> page) throws Exception {
        var client = new CounterflowClient(ClientSettings.of(server).withToken(token));
        RankAnswer answer = client.rank("front-page", visit("de"));
        page.accept(answer.actionId());
        client.reward("front-page", answer.eventId(), Reward.of(1.0));
    }

    static void inThisProcess(String kafka, Consumer<String> log, Consumer<String> page)
            throws Exception {
        try (var decisions =
                LocalDecisions.follow(LocalSettings.of(kafka), Clock.systemUTC(), log)) {
            decisions.awaitReady(Duration.ofSeconds(30));
            LocalDecision decision = decisions.decide("front-page", visit("de"));
            page.accept(decision.actionId());
        }
    }
}
