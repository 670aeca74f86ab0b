package io.counterflow.k8s;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads an object into the classes that fabric8 made of Kubernetes' own schemas. They keep what
 * they do not know, and take text for numbers; a cluster does neither, and so it is told here.
 */
final class ModelSchema {

    /** Leaves out the map that unknown fields would go to. */
    private static final class WithoutUnknownFields extends JacksonAnnotationIntrospector {

        private static final long serialVersionUID = 1L;

        @Override
        public Boolean hasAnySetter(com.fasterxml.jackson.databind.introspect.Annotated a) {
            return false;
        }

        @Override
        public Boolean hasAnyGetter(com.fasterxml.jackson.databind.introspect.Annotated a) {
            return false;
        }

        @Override
        public boolean hasIgnoreMarker(AnnotatedMember member) {
            return super.hasIgnoreMarker(member) || member.getName().equals("additionalProperties");
        }
    }

    private static final ObjectMapper MAPPER = mapper();

    private final Class<?> model;

    ModelSchema(Class<?> model) {
        this.model = model;
    }

    private static ObjectMapper mapper() {
        ObjectMapper mapper =
                JsonMapper.builder()
                        .annotationIntrospector(new WithoutUnknownFields())
                        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                        .build();
        mapper.coercionConfigFor(LogicalType.Textual)
                .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
        return mapper;
    }

    List<String> problems(JsonNode value) {
        List<String> problems = new ArrayList<>();
        ObjectMapper collecting = MAPPER.copy();
        collecting.addHandler(
                new DeserializationProblemHandler() {
                    @Override
                    public boolean handleUnknownProperty(
                            DeserializationContext context,
                            JsonParser parser,
                            JsonDeserializer<?> deserializer,
                            Object bean,
                            String property)
                            throws IOException {
                        String path =
                                parser.getParsingContext()
                                        .pathAsPointer()
                                        .toString()
                                        .substring(1)
                                        .replace('/', '.');
                        problems.add(path + " is not known");
                        parser.skipChildren();
                        return true;
                    }
                });
        try {
            var unused = collecting.readValue(collecting.treeAsTokens(value), model);
        } catch (JsonProcessingException e) {
            problems.add(String.valueOf(e.getMessage()).lines().findFirst().orElse("") + path(e));
        } catch (IOException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
        return problems;
    }

    private static String path(JsonProcessingException e) {
        if (e instanceof com.fasterxml.jackson.databind.JsonMappingException mapping) {
            StringBuilder path = new StringBuilder(" at ");
            mapping.getPath()
                    .forEach(
                            it ->
                                    path.append(path.length() == 4 ? "" : ".")
                                            .append(
                                                    it.getFieldName() == null
                                                            ? Integer.toString(it.getIndex())
                                                            : it.getFieldName()));
            return path.toString();
        }
        return "";
    }
}
