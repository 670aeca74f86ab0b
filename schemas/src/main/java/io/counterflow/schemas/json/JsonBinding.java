package io.counterflow.schemas.json;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;

/**
 * Jackson's data binding, strict: unknown and repeated fields, and values of another type, are
 * refused with an {@link InvalidJsonException}. A field that is null is treated as absent.
 * Jackson's own messages quote the input, so they are replaced.
 */
public final class JsonBinding {

    private static final int SHOWN = 40;

    private JsonBinding() {}

    /** A mapper that binds the fields of classes, private ones included. */
    public static JsonMapper mapper(JsonFactory factory) {
        return JsonMapper.builder(factory)
                .visibility(PropertyAccessor.ALL, Visibility.NONE)
                .visibility(PropertyAccessor.FIELD, Visibility.ANY)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .withCoercionConfig(
                        LogicalType.Textual,
                        config -> {
                            config.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
                            config.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
                            config.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
                        })
                .defaultSetterInfo(JsonSetter.Value.construct(Nulls.SKIP, Nulls.FAIL))
                .build();
    }

    /**
     * The exception to throw for one of Jackson's: that of the parser, or one that names a field.
     */
    static IOException orRefuse(JsonMappingException e) {
        if (e.getCause() instanceof InvalidJsonException refused) { // by a deserializer of ours
            throw refused;
        }
        if (e.getCause() instanceof InputCoercionException) {
            throw new InvalidJsonException(fieldOf(e), "must be a number within its range");
        }
        if (e.getCause() instanceof StreamReadException malformed) {
            return malformed;
        }
        throw new InvalidJsonException(fieldOf(e), reasonOf(e));
    }

    private static String reasonOf(JsonMappingException e) {
        if (e instanceof UnrecognizedPropertyException) {
            return "must not be given, it is unknown";
        }
        Class<?> type = e instanceof MismatchedInputException it ? it.getTargetType() : null;
        if (type == null) {
            return "must be of another type";
        }
        if (type == String.class) {
            return "must be a string";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "must be true or false";
        }
        if (type == long.class || type == Long.class || type == int.class) {
            return "must be a whole number";
        }
        if (type == Integer.class) {
            return e.getProcessor() instanceof JsonParser parser
                            && parser.currentToken() == JsonToken.FIELD_NAME
                    ? "must have whole numbers as names"
                    : "must be a whole number";
        }
        if (type.isPrimitive() || Number.class.isAssignableFrom(type)) {
            return "must be a number";
        }
        return type.isArray() || Collection.class.isAssignableFrom(type)
                ? "must be an array"
                : "must be an object";
    }

    /** A path like {@code certificate.delta} or {@code weights[0]}, without the keys of maps. */
    private static String fieldOf(JsonMappingException e) {
        StringBuilder field = new StringBuilder();
        for (JsonMappingException.Reference step : e.getPath()) {
            String name = step.getFieldName();
            if (name == null) {
                field.append('[').append(step.getIndex()).append(']');
            } else if (!(step.getFrom() instanceof Map)) {
                field.append(field.isEmpty() ? "" : ".")
                        .append(name, 0, Math.min(SHOWN, name.length()));
            }
        }
        return field.toString();
    }
}
