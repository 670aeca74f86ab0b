package io.counterflow.serving.personalizer;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.personalizerError;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.snapshot.SnapshotFile;
import io.counterflow.serving.ServingFixture;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ModelEndpointsIT {

    private static final String PATH = "/personalizer/v1.1-preview.3";

    private final ServingFixture serving = ServingFixture.start("serving.personalizer-loop: home");

    @TempDir private Path directory;

    @AfterEach
    void close() {
        serving.close();
    }

    private PolicySnapshotRecord publish() {
        DenseModel model =
                new DenseModel(
                        new float[][] {{1f, 0f}, {0f, -3.5f}, {0f, 0f}}, new float[] {1f, 2f, 3f});
        PolicySnapshotRecord record =
                PolicyStoreFixture.snapshot(
                        PolicyStoreFixture.spec(1, ServingFixture.SPEC), 1, model);
        serving.policies().snapshot(record).active(1, 1).served();
        return record;
    }

    @Test
    void theModelIsTheSnapshotOfTheActiveVersion() throws Exception {
        PolicySnapshotRecord published = publish();
        HttpResponse<byte[]> response =
                serving.send(
                        serving.request(PATH + "/model?signed=true").GET().build(),
                        HttpResponse.BodyHandlers.ofByteArray());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type"))
                .hasValue("application/octet-stream");
        PolicySnapshot snapshot =
                SnapshotFile.read(
                        Files.write(directory.resolve("model.snapshot"), response.body()));
        assertThat(SnapshotConversion.toRecord(snapshot)).isEqualTo(published);
    }

    @Test
    void thePropertiesAreTheTimesOfTheActiveVersion() {
        JsonNode before = json(200, serving.get(PATH + "/model/properties"));
        PolicySnapshotRecord published = publish();
        JsonNode properties = json(200, serving.get(PATH + "/model/properties"));
        assertThat(properties.get("creationTime").asText())
                .isEqualTo(published.getCreatedAt().toString())
                .isNotEqualTo(before.get("creationTime").asText());
        assertThat(properties.get("lastModifiedTime")).isEqualTo(properties.get("creationTime"));
    }

    @Test
    void aLoopThatHasLearnedNothingHasNoModel() {
        JsonNode error =
                personalizerError(
                        404,
                        "unknown-version",
                        "learned nothing yet",
                        serving.get(PATH + "/model"));
        assertThat(error.get("code").asText()).isEqualTo("ResourceNotFound");
    }

    @Test
    void theStatusNamesTheVersionThatDecides() {
        publish();
        JsonNode status = json(200, serving.get("/personalizer/v1.0/status"));
        assertThat(status.get("service").asText()).isEqualTo("Personalizer");
        assertThat(status.get("apiStatus").asText()).isEqualTo("Valid");
        assertThat(status.get("apiStatusMessage").asText()).isEqualTo("version 1 decides");
    }
}
