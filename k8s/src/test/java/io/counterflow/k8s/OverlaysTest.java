package io.counterflow.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.serving.config.ServingConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class OverlaysTest {

    @ParameterizedTest
    @EnumSource
    void everyOverlayRendersWithoutAProblem(Overlay overlay) throws IOException {
        Cluster cluster = overlay.render();
        assertThat(cluster.manifests()).hasSizeGreaterThan(30);
        assertThat(new ManifestCheck().problems(cluster)).isEmpty();
    }

    /** What the namespace's label asks of pods; Kafka's are Strimzi's to make. */
    @ParameterizedTest
    @EnumSource
    void ourPodsFitRestrictedPodSecurity(Overlay overlay) throws IOException {
        Cluster cluster = overlay.render();
        assertThat(cluster.the("Namespace").texts("/metadata/labels"))
                .containsEntry("pod-security.kubernetes.io/enforce", "restricted");
        for (Manifest manifest : cluster.manifests()) {
            if (manifest.podTemplate().isEmpty()) {
                continue;
            }
            JsonNode pod = manifest.podTemplate().get().get("spec");
            assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
            assertThat(pod.at("/securityContext/seccompProfile/type").asText())
                    .isEqualTo("RuntimeDefault");
            for (JsonNode container : pod.get("containers")) {
                JsonNode context = container.path("securityContext");
                assertThat(context.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
                assertThat(context.at("/capabilities/drop").toString()).isEqualTo("[\"ALL\"]");
            }
        }
        JsonNode serving =
                cluster.the("Deployment", "counterflow-serving").podTemplate().orElseThrow();
        assertThat(serving.at("/spec/automountServiceAccountToken").asBoolean(true)).isFalse();
        assertThat(
                        serving.at("/spec/containers/0/securityContext/readOnlyRootFilesystem")
                                .asBoolean())
                .isTrue();
    }

    @Test
    void inProductionTheApiSpeaksHttpsWithTheCertificateOfTheSecret() throws IOException {
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
    void nobodyReachesAnythingButWhatIsNamed(Overlay overlay) throws IOException {
        Manifest deny = overlay.render().the("NetworkPolicy", "default-deny");
        assertThat(deny.at("/spec").toString())
                .isEqualTo("{\"podSelector\":{},\"policyTypes\":[\"Ingress\",\"Egress\"]}");
    }
}
