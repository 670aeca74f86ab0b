package io.counterflow.e2e.k8s;

import static io.counterflow.e2e.k8s.Manifest.values;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.serving.config.ServingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The manifests are valid, as far as can be known without a cluster. */
@Timeout(60)
final class ManifestsIT {

    private static final List<String> IMAGES =
            List.of("/spec/image", "/spec/template/spec/containers/*/image");

    private static List<String> problems(Cluster cluster) {
        List<String> problems = new ArrayList<>(References.problems(cluster));
        for (Manifest manifest : cluster.manifests()) {
            problems.addAll(ManifestFields.problems(manifest));
            IMAGES.stream()
                    .flatMap(it -> values(manifest.json(), it))
                    .filter(it -> !it.asText().matches(".+:(?!latest$)[^/]+"))
                    .forEach(it -> problems.add(manifest.id() + ": image must have a version"));
        }
        return problems;
    }

    @ParameterizedTest
    @EnumSource
    void fieldsAreValidReferencesResolveAndImagesHaveAVersion(Overlay overlay) throws Exception {
        assertThat(overlay.render().manifests()).hasSizeGreaterThan(30);
        assertThat(problems(overlay.render())).isEmpty();
    }

    /** Each line of the file is one mistake in the production overlay. */
    @ParameterizedTest
    @CsvFileSource(resources = "mistakes.csv", delimiter = '|')
    void aMistakeIsFound(String id, String pointer, @Nullable String value, String problem)
            throws Exception {
        List<Manifest> manifests =
                Overlay.PRODUCTION.render().manifests().stream()
                        .map(it -> it.id().equals(id) ? it.with(pointer, value) : it)
                        .toList();
        assertThat(problems(new Cluster(manifests)))
                .singleElement()
                .asString()
                .startsWith(id + ": " + problem);
    }

    @ParameterizedTest
    @EnumSource
    void manifestsContainNoSecrets(Overlay overlay) throws Exception {
        assertThat(overlay.render().all("Secret")).isEmpty();
    }

    /** The label of the namespace requires it. Strimzi creates the pods of Kafka. */
    @ParameterizedTest
    @EnumSource
    void podsMeetTheRestrictedPodSecurityStandard(Overlay overlay) throws Exception {
        Cluster cluster = overlay.render();
        assertThat(cluster.the("Namespace").texts("/metadata/labels"))
                .containsEntry("pod-security.kubernetes.io/enforce", "restricted");
        for (Manifest manifest :
                List.of(cluster.the("Deployment"), cluster.the("FlinkDeployment"))) {
            JsonNode pod = manifest.podTemplate().orElseThrow().get("spec");
            assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
            assertThat(pod.at("/securityContext/seccompProfile/type").asText())
                    .isEqualTo("RuntimeDefault");
            for (JsonNode container : pod.get("containers")) {
                JsonNode context = container.path("securityContext");
                assertThat(context.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
                assertThat(context.at("/capabilities/drop").toString()).isEqualTo("[\"ALL\"]");
            }
        }
        JsonNode serving = cluster.the("Deployment").at("/spec/template/spec");
        assertThat(serving.at("/automountServiceAccountToken").asBoolean(true)).isFalse();
        assertThat(serving.at("/containers/0/securityContext/readOnlyRootFilesystem").asBoolean())
                .isTrue();
    }

    @Test
    void inProductionTheApiUsesHttpsWithTheCertificateOfTheSecret() throws Exception {
        DeployedConfig config = DeployedConfig.of(Overlay.PRODUCTION);
        JsonNode pod = config.deployment().at("/spec/template/spec");
        assertThat(pod.at("/volumes").findValuesAsText("secretName")).contains("counterflow-tls");
        ServingConfig.Tls tls = config.serving().tls().orElseThrow();
        for (Path file : List.of(tls.certificate(), tls.key())) {
            assertThat(pod.at("/containers/0/volumeMounts").findValuesAsText("mountPath"))
                    .anyMatch(mount -> file.startsWith(mount));
        }
        assertThat(config.cluster().the("Service", "counterflow-serving").at("/spec/ports/0/port"))
                .hasToString("443");
        for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
            assertThat(pod.at("/containers/0").at("/" + probe + "/httpGet/port").asText())
                    .as(probe)
                    .isEqualTo("management");
        }
    }

    @ParameterizedTest
    @EnumSource
    void allTrafficThatNoPolicyAllowsIsDenied(Overlay overlay) throws Exception {
        Manifest deny = overlay.render().the("NetworkPolicy", "default-deny");
        assertThat(deny.at("/spec").toString())
                .isEqualTo("{\"podSelector\":{},\"policyTypes\":[\"Ingress\",\"Egress\"]}");
    }
}
