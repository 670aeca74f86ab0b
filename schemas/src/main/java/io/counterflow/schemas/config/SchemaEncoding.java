package io.counterflow.schemas.config;

/** The encoding of values on topics. */
enum SchemaEncoding {
    /** Avro's single-object encoding. */
    SINGLE_OBJECT,
    /** The encoding of Confluent's serializers, with a schema registry. */
    CONFLUENT
}
