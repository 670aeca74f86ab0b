package io.counterflow.e2e.k8s;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.ser.PropertyWriter;
import com.fasterxml.jackson.databind.ser.impl.SimpleBeanPropertyFilter;
import com.fasterxml.jackson.databind.ser.impl.SimpleFilterProvider;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.strimzi.api.kafka.model.kafka.Kafka;
import io.strimzi.api.kafka.model.nodepool.KafkaNodePool;
import io.strimzi.api.kafka.model.topic.KafkaTopic;
import io.strimzi.api.kafka.model.user.KafkaUser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.kubernetes.operator.api.FlinkDeployment;

/**
 * Checks the fields of a manifest. It is read into the class that fabric8 or the operator has for
 * its kind, and then written again. A field that is unknown or has an invalid value does not come
 * back as it was.
 */
final class ManifestFields {

    private static final Map<String, Class<? extends KubernetesResource>> OPERATORS =
            Map.of(
                    "flink.apache.org/v1beta1 FlinkDeployment", FlinkDeployment.class,
                    "kafka.strimzi.io/v1 Kafka", Kafka.class,
                    "kafka.strimzi.io/v1 KafkaNodePool", KafkaNodePool.class,
                    "kafka.strimzi.io/v1 KafkaTopic", KafkaTopic.class,
                    "kafka.strimzi.io/v1 KafkaUser", KafkaUser.class);

    /**
     * Writes every field that a class declares, and no field that it does not declare. Deprecated
     * fields are not in the newest version of the API, such as the ZooKeeper of a Kafka.
     */
    private static final class DeclaredFields extends JacksonAnnotationIntrospector {

        private static final long serialVersionUID = 1L;

        @Override
        public boolean hasIgnoreMarker(AnnotatedMember member) {
            return member.hasAnnotation(Deprecated.class) || super.hasIgnoreMarker(member);
        }

        @Override
        public Boolean hasAnyGetter(Annotated member) {
            return false;
        }

        @Override
        public JsonInclude.Value findPropertyInclusion(Annotated member) {
            return JsonInclude.Value.construct(
                    JsonInclude.Include.ALWAYS, JsonInclude.Include.ALWAYS);
        }

        @Override
        public Object findFilterId(Annotated member) {
            return "required";
        }
    }

    /** Refuses an object without a field that its class requires. */
    private static final class RequiredFields extends SimpleBeanPropertyFilter {

        @Override
        public void serializeAsField(
                Object object,
                JsonGenerator json,
                SerializerProvider provider,
                PropertyWriter field)
                throws Exception {
            if (field.isRequired()
                    && field instanceof BeanPropertyWriter property
                    && property.get(object) == null) {
                throw JsonMappingException.from(json, field.getName() + " is missing");
            }
            super.serializeAsField(object, json, provider, field);
        }
    }

    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .annotationIntrospector(new DeclaredFields())
                    .filterProvider(
                            new SimpleFilterProvider().addFilter("required", new RequiredFields()))
                    .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                    .build();

    private ManifestFields() {}

    static List<String> problems(Manifest manifest) {
        List<String> problems = new ArrayList<>();
        ObjectNode given = manifest.json().deepCopy();
        if (given.at("/spec/flinkVersion").asText().equals("v2_2")) {
            // The newest version that these classes of the operator know.
            ((ObjectNode) given.get("spec")).put("flinkVersion", "v1_20");
        }
        try {
            KubernetesResource read =
                    MAPPER.treeToValue(
                            given,
                            OPERATORS.getOrDefault(
                                    manifest.apiVersion() + " " + manifest.kind(),
                                    KubernetesResource.class));
            if (read instanceof GenericKubernetesResource) {
                problems.add("unknown kind of " + manifest.apiVersion());
            } else {
                given.remove("apiVersion"); // it has chosen the class, which may write another one
                compare("", given, MAPPER.readTree(MAPPER.writeValueAsString(read)), problems);
            }
        } catch (JsonMappingException e) {
            problems.add(e.getOriginalMessage() + " (" + e.getPathReference() + ")");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
        return problems.stream().map(it -> manifest.id() + ": " + it).toList();
    }

    private static void compare(String path, JsonNode given, JsonNode read, List<String> problems) {
        if (given.isObject() && read.isObject()) {
            given.properties()
                    .forEach(
                            it -> {
                                String field = path + "." + it.getKey();
                                compare(field, it.getValue(), read.path(it.getKey()), problems);
                            });
        } else if (given.isArray() && read.isArray() && given.size() == read.size()) {
            for (int i = 0; i < given.size(); i++) {
                compare(path + "[" + i + "]", given.get(i), read.get(i), problems);
            }
        } else if (read.isMissingNode()) {
            problems.add("unknown field " + path.substring(1));
        } else if (!equal(given, read)) {
            problems.add("invalid value of " + path.substring(1));
        }
    }

    /** An integer and a double of the same value are equal. */
    private static boolean equal(JsonNode given, JsonNode read) {
        if (given.isNumber() && read.isNumber()) {
            return given.decimalValue().compareTo(read.decimalValue()) == 0;
        }
        return given.equals(read);
    }
}
