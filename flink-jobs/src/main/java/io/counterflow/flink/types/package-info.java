/** Serializers for records between operators and in state, without Kryo. */
@NullMarked
package io.counterflow.flink.types;

import org.jspecify.annotations.NullMarked;
