package io.counterflow.schemas.topics;

import java.io.Serializable;
import java.util.Collection;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * The encoding of values on topics. Everywhere else, in memory, state and files, and for values
 * inside of other values, it is Avro's single-object encoding.
 */
public interface ValueEncoding extends Serializable {

    /**
     * Converts values from single-object encoding. Safe for use by several threads.
     *
     * <p>Blocks until all schemas that may be written are known where readers look for them, so
     * that later calls of the result never block.
     *
     * @param written the topics that will be written
     */
    Serializer<byte[]> writer(Topics topics, Collection<Topic> written);

    /**
     * Converts values to single-object encoding. A value in neither encoding stays as it is. May
     * block for a schema that it has not seen before.
     */
    Deserializer<byte[]> reader();

    /** Single-object encoding on topics too. */
    enum SingleObject implements ValueEncoding {
        INSTANCE;

        @Override
        public Serializer<byte[]> writer(Topics topics, Collection<Topic> written) {
            return new ByteArraySerializer();
        }

        @Override
        public Deserializer<byte[]> reader() {
            return new ByteArrayDeserializer();
        }
    }
}
