package io.counterflow.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.Slot;
import io.counterflow.client.rank.SlotsRequest;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Context;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rollout.RegisteredPolicy;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.snapshot.PolicySnapshot;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the client sends again, to a server that does not take everything. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
final class CounterflowClientIT {

    private static final RankRequest REQUEST =
            RankRequest.of(new Context.Vector(DenseVector.of(1)));

    private static final String PROBLEM = "{\"type\":\"t\",\"detail\":\"d\",\"instance\":\"i\"}";
    private static final String DECISION =
            """
            {"eventId":"e","loop":"home","policyVersion":0,"action":0,"actionId":"a","propensity":1,
             "propensityKind":"exact","logged":true,"ranking":[{"id":"a","probability":1}],"slots":[]}
            """;

    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final List<String> tokens = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private volatile int refusals;
    private volatile int refusal = 503;
    private volatile String retryAfter = "";

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        tokens.add(String.valueOf(exchange.getRequestHeaders().getFirst("authorization")));
        boolean refused = bodies.size() <= refusals;
        boolean decides = exchange.getRequestURI().getPath().contains("/rank");
        byte[] body =
                (refused ? PROBLEM : decides ? DECISION : "{}").getBytes(StandardCharsets.UTF_8);
        if (!retryAfter.isEmpty()) {
            exchange.getResponseHeaders().set("retry-after", retryAfter);
        }
        exchange.sendResponseHeaders(refused ? refusal : decides ? 200 : 202, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private CounterflowClient client(int attempts) {
        return new CounterflowClient(
                ClientSettings.of(URI.create("http://127.0.0.1:" + server.getAddress().getPort()))
                        .withToken("secret")
                        .withRetries(new Retries(attempts, Duration.ofMillis(1)))
                        .withRankRetries(new Retries(attempts, Duration.ofMillis(1))));
    }

    @Test
    void aRewardIsSentAgainUnderTheSameIdUntilItIsTaken() throws Exception {
        refusals = 3;
        client(5).reward("home", "e", Reward.of(1));
        assertThat(bodies).hasSize(4);
        assertThat(bodies).containsOnly(bodies.get(0));
        assertThat(bodies.get(0)).contains("\"rewardId\":\"");
        assertThat(tokens).containsOnly("Bearer secret");
    }

    @Test
    void aCommandIsSentAgainUnderTheSameIdUntilItIsTaken() throws Exception {
        refusals = 2;
        PolicySnapshot snapshot =
                PolicySnapshot.of(
                        "home",
                        7,
                        new DenseModel(new float[][] {{1.5f}, {-2}}, new float[2]),
                        Optional.empty());
        String id = client(5).rollout("home", RolloutCommand.register(snapshot, "last month"));
        assertThat(bodies).hasSize(3).containsOnly(bodies.get(0));
        assertThat(bodies.get(0))
                .startsWith(
                        "{\"action\":\"register\",\"snapshot\":{\"loop\":\"home\",\"version\":7")
                .contains("\"weights\":[[1.5],[-2.0]]")
                .endsWith(",\"reason\":\"last month\",\"commandId\":\"" + id + "\"}");
        assertThat(tokens).containsOnly("Bearer secret");
    }

    @Test
    void aGuardrailRewardNamesItsMetric() throws Exception {
        client(1).reward("home", "e", Reward.ofGuardrail(0.5));
        client(1).reward("home", "e", Reward.of(0.5));
        assertThat(bodies.get(0))
                .startsWith("{\"value\":0.5,")
                .endsWith(",\"metric\":\"guardrail\"}");
        assertThat(bodies.get(1)).doesNotContain("metric");
    }

    @Test
    void shortFormsOfRegistrationsAreSent() throws Exception {
        client(1).rollout("home", RolloutCommand.register(new RegisteredPolicy.GreedyOf(3), "r"));
        client(1)
                .rollout(
                        "home",
                        RolloutCommand.register(new RegisteredPolicy.ConstantAction("b"), "r"));
        assertThat(bodies.get(0)).startsWith("{\"action\":\"register\",\"greedyOf\":3,\"reason\"");
        assertThat(bodies.get(1))
                .startsWith("{\"action\":\"register\",\"constantAction\":\"b\",\"reason\"");
    }

    @Test
    void aCommandHasOnlyTheFieldsOfItsAction() throws Exception {
        String id =
                client(1)
                        .rollout(
                                "home",
                                new RolloutCommand(
                                        RolloutCommand.Action.CANARY,
                                        OptionalLong.of(3),
                                        OptionalDouble.of(0.25),
                                        "try it"));
        assertThat(bodies)
                .containsExactly(
                        "{\"action\":\"canary\",\"version\":3,\"share\":0.25,"
                                + "\"reason\":\"try it\",\"commandId\":\""
                                + id
                                + "\"}");
    }

    @Test
    void tryingEndsAndSaysWhatTheServerSaid() {
        refusals = 100;
        assertThatThrownBy(() -> client(3).activate("home", "e"))
                .isInstanceOfSatisfying(
                        ProblemResponseException.class,
                        problem -> assertThat(problem.isTemporary()).isTrue());
        assertThat(bodies).hasSize(3);
    }

    @Test
    void whatTheServerWillNeverTakeIsSentOnce() {
        refusals = 100;
        refusal = 400;
        assertThatThrownBy(() -> client(3).reward("home", "e", Reward.of(1)))
                .isInstanceOf(ProblemResponseException.class)
                .hasMessage("400 t: d (i)");
        assertThat(bodies).hasSize(1);
    }

    @Test
    void aDecisionIsAskedForAgainWithTheSameEventId() throws Exception {
        refusals = 1;
        assertThat(client(2).rank("home", REQUEST).actionId()).isEqualTo("a");
        assertThat(bodies).hasSize(2).containsOnly(bodies.get(0));
        assertThat(bodies.get(0)).containsPattern("\"eventId\":\"[0-9a-f-]{36}\"");
    }

    @Test
    void slotsAreAskedForAgainWithTheSameEventId() throws Exception {
        refusals = 1;
        SlotsRequest page =
                new SlotsRequest(REQUEST.withEventId("p"), List.of(Slot.of("a"), Slot.of("b")));
        assertThat(client(2).rankSlots("home", page).slots()).isEmpty();
        assertThat(bodies).hasSize(2).containsOnly(bodies.get(0));
        assertThat(bodies.get(0)).startsWith("{\"eventId\":\"p\",");
    }

    @Test
    void aDecisionIsAskedForTwiceByDefault() {
        refusals = 100;
        CounterflowClient client =
                new CounterflowClient(
                        ClientSettings.of(
                                URI.create("http://127.0.0.1:" + server.getAddress().getPort())));
        assertThatThrownBy(() -> client.rank("home", REQUEST))
                .isInstanceOf(ProblemResponseException.class);
        assertThat(bodies).hasSize(2).containsOnly(bodies.get(0));
    }

    @Test
    void aCallFailsAtOnceIfItHasToWaitLongerThanItMay() {
        refusals = 100;
        retryAfter = "3600";
        assertThatThrownBy(() -> client(3).activate("home", "e"))
                .isInstanceOfSatisfying(
                        ProblemResponseException.class,
                        problem -> assertThat(problem.retryAfter()).contains(Duration.ofHours(1)));
        assertThat(bodies).hasSize(1);
    }

    @Test
    void aHeaderThatSaysNothingAboutTheTimeToWaitIsIgnored() throws Exception {
        refusals = 1;
        retryAfter = "soon";
        client(2).activate("home", "e");
        assertThat(bodies).hasSize(2);
    }

    @Test
    void aServerThatIsAwayIsAnIoFailureInTheEnd() {
        CounterflowClient client = client(3);
        server.stop(0);
        assertThatThrownBy(() -> client.reward("home", "e", Reward.of(1)))
                .isInstanceOf(ConnectException.class);
        assertThatThrownBy(() -> client.rank("home", REQUEST)).isInstanceOf(IOException.class);
    }

    @Test
    void anAnswerOfSomethingElseIsAnIoFailure() {
        refusals = 100;
        refusal = 200; // a proxy's page, say
        assertThatThrownBy(() -> client(1).rank("home", REQUEST))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ranking");
    }
}
