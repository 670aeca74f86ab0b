import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.DecisionsApi;
import org.openapitools.client.api.LoopsApi;
import org.openapitools.client.model.Action;
import org.openapitools.client.model.Context;
import org.openapitools.client.model.DenseContext;
import org.openapitools.client.model.LoopSpec;
import org.openapitools.client.model.NamedContext;
import org.openapitools.client.model.RankAnswer;
import org.openapitools.client.model.RankRequest;
import org.openapitools.client.model.RewardRequest;

/** Calls a server with the client that is generated for Java. GeneratedClientsIT runs it. */
final class GeneratedClientProgram {

    /**
     * @param arguments the address of the server, and a token
     */
    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.setBasePath(arguments[0]);
        client.setBearerToken(arguments[1]);

        LoopsApi loops = new LoopsApi(client);
        for (String loop : List.of("java-named", "java-vectors")) {
            LoopSpec spec = loops.getLoop(loop).getSpec();
            System.out.println(loops.putLoop(loop, spec, null, null).getChange());
            spec.setExplorationFloor(0.25);
            System.out.println(loops.putLoop(loop, spec, null, null).getChange());
        }
        loops.putLoop("java-new", new LoopSpec().bits(8), null, "*");

        DecisionsApi decisions = new DecisionsApi(client);
        Context visit =
                new Context(
                        new NamedContext()
                                .features(Map.of("user", Map.of("country", "de", "age", 0.3))));
        RankRequest named =
                new RankRequest()
                        .eventId("java-1")
                        .context(visit)
                        .addActionsItem(new Action().id("derby").features(Map.of("topic", "sport")))
                        .addActionsItem(new Action().id("budget"))
                        .deferActivation(true);
        RankAnswer answer = decisions.rank("java-new", named);
        decisions.activate("java-new", answer.getEventId());
        decisions.reward(
                "java-new",
                answer.getEventId(),
                new RewardRequest().value(1.0).rewardId("java-click"));
        Context vector = new Context(new DenseContext().dense(List.of(0.4, -0.3)));
        decisions.rank("java-vectors", new RankRequest().eventId("java-2").context(vector));
        System.exit(0); // the HTTP client keeps its threads for a while
    }
}
