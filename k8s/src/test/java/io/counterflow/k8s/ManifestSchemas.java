package io.counterflow.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.openshift.api.model.monitoring.v1.PodMonitor;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The schema of each kind that our manifests may have, by version and kind. */
final class ManifestSchemas {

    private static final String FLINK =
            "/META-INF/fabric8/flinkdeployments.flink.apache.org-v1.yml";

    private static final Map<String, Class<?>> MODELS =
            Map.ofEntries(
                    Map.entry("v1 ConfigMap", ConfigMap.class),
                    Map.entry("v1 Namespace", Namespace.class),
                    Map.entry("v1 PersistentVolumeClaim", PersistentVolumeClaim.class),
                    Map.entry("v1 Service", Service.class),
                    Map.entry("v1 ServiceAccount", ServiceAccount.class),
                    Map.entry("apps/v1 Deployment", Deployment.class),
                    Map.entry(
                            "autoscaling/v2 HorizontalPodAutoscaler",
                            HorizontalPodAutoscaler.class),
                    Map.entry("networking.k8s.io/v1 NetworkPolicy", NetworkPolicy.class),
                    Map.entry("policy/v1 PodDisruptionBudget", PodDisruptionBudget.class),
                    Map.entry("rbac.authorization.k8s.io/v1 Role", Role.class),
                    Map.entry("rbac.authorization.k8s.io/v1 RoleBinding", RoleBinding.class),
                    Map.entry("monitoring.coreos.com/v1 ServiceMonitor", ServiceMonitor.class),
                    Map.entry("monitoring.coreos.com/v1 PodMonitor", PodMonitor.class),
                    Map.entry("monitoring.coreos.com/v1 PrometheusRule", PrometheusRule.class));

    private final Map<String, StructuralSchema> custom = new HashMap<>();
    private final ModelSchema metadata = new ModelSchema(ObjectMeta.class);
    private final ModelSchema pod = new ModelSchema(Pod.class);

    ManifestSchemas() throws IOException {
        JsonNode flink = read(FLINK);
        // The operator's API as it was before Flink 2; later ones add versions here and nothing
        // else of ours.
        ((ArrayNode)
                        flink.at(
                                "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/flinkVersion/enum"))
                .add("v2_2");
        add(flink);
        for (String plural : List.of("kafkas", "kafkanodepools", "kafkatopics", "kafkausers")) {
            add(read("crds/" + plural + ".yaml"));
        }
    }

    private static JsonNode read(String resource) throws IOException {
        try (InputStream in = ManifestSchemas.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException("no resource " + resource);
            }
            return Yaml.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private void add(JsonNode definition) {
        JsonNode spec = definition.get("spec");
        for (JsonNode version : spec.get("versions")) {
            custom.put(
                    "%s/%s %s"
                            .formatted(
                                    spec.get("group").asText(),
                                    version.get("name").asText(),
                                    spec.at("/names/kind").asText()),
                    new StructuralSchema(version.at("/schema/openAPIV3Schema")));
        }
    }

    /** What is wrong with the fields of a manifest. */
    List<String> problems(Manifest manifest) {
        String kind = manifest.apiVersion() + " " + manifest.kind();
        Class<?> model = MODELS.get(kind);
        StructuralSchema schema = custom.get(kind);
        List<String> problems = new ArrayList<>();
        if (model != null) {
            problems.addAll(new ModelSchema(model).problems(manifest.json()));
        } else if (schema != null) {
            problems.addAll(schema.problems(manifest.json()));
            problems.addAll(metadata.problems(manifest.json().get("metadata")));
            if (manifest.kind().equals("FlinkDeployment") && manifest.podTemplate().isPresent()) {
                problems.addAll(pod.problems(manifest.podTemplate().get()));
            }
        } else {
            problems.add("kind is not known: " + kind);
        }
        return problems.stream().map(it -> manifest.id() + ": " + it).toList();
    }
}
