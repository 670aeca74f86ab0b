package io.counterflow.schemas.registry;

import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.topics.ValueEncoding;
import io.counterflow.schemas.wire.TopicSchemas;
import io.counterflow.schemas.wire.WireHeader;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * The encoding of Confluent's serializers: a zero byte, the id of the schema in a registry as 4
 * big-endian bytes, then the record's binary form, which is that of the single-object encoding.
 *
 * <p>The subject of the record that a topic is for is {@code TOPIC-value}, so that tools which look
 * for one schema per topic find it. Other records of the topic have {@code TOPIC-NAME}, with their
 * full names.
 */
public record ConfluentEncoding(RegistryAddress registry) implements ValueEncoding {

    private static final long serialVersionUID = 1L;

    /** Shared, because consumers come and go, and an id always has the same schema. */
    private static final Map<RegistryAddress, ConfluentReader> READERS = new ConcurrentHashMap<>();

    @Override
    public Serializer<byte[]> writer(Topics topics, Collection<Topic> written) {
        SchemaRegistry client = new SchemaRegistry(registry);
        Map<String, Map<Long, Integer>> ids = new HashMap<>(); // by topic and fingerprint
        for (Topic topic : written) {
            Map<Long, Integer> ofTopic = new HashMap<>();
            for (TopicSchemas.Published schema : newest(topic)) {
                String name = topics.name(topic);
                String subject =
                        name + "-" + (ofTopic.isEmpty() ? "value" : schema.schema().getFullName());
                ofTopic.put(
                        WireHeader.fingerprint(WireHeader.of(schema.schema())),
                        client.register(subject, schema.schema().toString()));
            }
            ids.put(topics.name(topic), Map.copyOf(ofTopic));
        }
        return new ConfluentWriter(Map.copyOf(ids));
    }

    /** The newest schema of each record: what is written. */
    private static List<TopicSchemas.Published> newest(Topic topic) {
        Set<String> names = new HashSet<>();
        List<TopicSchemas.Published> newest = new ArrayList<>();
        for (TopicSchemas.Published schema : TopicSchemas.of(topic)) {
            if (names.add(schema.name())) {
                newest.add(schema);
            }
        }
        return newest;
    }

    @Override
    public Deserializer<byte[]> reader() {
        return READERS.computeIfAbsent(
                registry, it -> new ConfluentReader(new SchemaRegistry(it)::schema));
    }
}
