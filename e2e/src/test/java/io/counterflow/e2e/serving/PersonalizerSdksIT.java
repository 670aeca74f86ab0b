package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.counterflow.e2e.shared.Program;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.auth.TokenFile;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Both npm packages of Azure Personalizer call a server: only endpoint and key have changed. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class PersonalizerSdksIT {

    private static final String PROGRAMS = "src/test/resources/io/counterflow/e2e/serving";
    private static final String OPERATOR = "a-token-for-all-loops";

    @TempDir private static Path directory;

    private static RunningServing serving;

    @BeforeAll
    static void start(SharedKafka kafka) throws Exception {
        Path tokens =
                Files.writeString(
                        directory.resolve("tokens"),
                        """
                        operator admin sha256:%s
                        meals rank,reward,read,admin sha256:%s loops:meals
                        menus rank,reward,read,admin sha256:%s loops:menus
                        """
                                .formatted(
                                        TokenFile.hash(OPERATOR),
                                        TokenFile.hash(keyOf("meals")),
                                        TokenFile.hash(keyOf("menus"))));
        serving = RunningServing.start(kafka, "serving.tokens-file: " + tokens);
        for (String loop : List.of("meals", "menus")) {
            HttpResponse<String> created =
                    serving.send(
                            serving.request("/v1/loops/" + loop)
                                    .header("authorization", "Bearer " + OPERATOR)
                                    .PUT(
                                            HttpRequest.BodyPublishers.ofString(
                                                    "{\"bits\":10,\"rewardRange\":[-1,1]}"))
                                    .build());
            assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
        }
    }

    @AfterAll
    static void stop() {
        serving.close();
    }

    private static String keyOf(String loop) {
        return "the-key-of-" + loop;
    }

    private static void run(String sdk, String program, String loop) throws Exception {
        Program node = NodePrograms.node();
        Program.Result result =
                node.run(
                        NodePrograms.packages(sdk),
                        Path.of(PROGRAMS, program).toString(),
                        serving.uri("").toString(),
                        keyOf(loop));
        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    private static List<ImpressionRecord> impressions(String loop) {
        return serving.impressions().stream().filter(it -> it.getLoop().equals(loop)).toList();
    }

    private static List<RewardRecord> rewards(String loop) {
        return serving.rewards().stream().filter(it -> it.getLoop().equals(loop)).toList();
    }

    private static List<String> activations(String loop) {
        return serving.records(Topic.REWARDS, ActivationRecord.class).stream()
                .filter(it -> it.getLoop().equals(loop))
                .map(ActivationRecord::getEventId)
                .toList();
    }

    @Test
    void theReleasedOneDecidesRewardsAndActivates() throws Exception {
        run("@azure/cognitiveservices-personalizer", "personalizer-v1.0.cjs", "meals");
        assertThat(impressions("meals"))
                .singleElement()
                .satisfies(
                        it -> {
                            assertThat(it.getEventId()).isEqualTo("released-1");
                            assertThat(it.getExcludedActions()).containsExactly(2);
                            assertThat(it.getDeferred()).isTrue();
                            assertThat(it.toString()).doesNotContain("_userId", "_sku");
                        });
        assertThat(rewards("meals"))
                .extracting(RewardRecord::getEventId, RewardRecord::getValue)
                .as("-1, in [0, 1]")
                .containsExactly(tuple("released-1", 0.0));
        assertThat(activations("meals")).containsExactly("released-1");
    }

    @Test
    void thePreviewAlsoFillsSlotsAndChangesTheConfiguration() throws Exception {
        run("@azure-rest/ai-personalizer", "personalizer-v1.1.cjs", "menus");
        assertThat(impressions("menus"))
                .extracting(
                        ImpressionRecord::getEventId,
                        it -> it.getPolicyAction() != null,
                        it -> it.getPolicyAction() == null || it.getPropensity() == 1.0)
                .containsExactlyInAnyOrder(
                        tuple("preview-1", false, true),
                        tuple("preview-2:main", false, true),
                        tuple("preview-2:side", false, true),
                        tuple("preview-3", true, true),
                        tuple("preview-4:main", true, true),
                        tuple("preview-4:side", true, true));
        assertThat(rewards("menus"))
                .extracting(RewardRecord::getEventId, RewardRecord::getValue)
                .containsExactlyInAnyOrder(
                        tuple("preview-1", 0.75),
                        tuple("preview-2:main", 1.0),
                        tuple("preview-2:side", 0.0));
        assertThat(activations("menus"))
                .containsExactlyInAnyOrder("preview-1", "preview-2:main", "preview-2:side");
    }
}
