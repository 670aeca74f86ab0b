/** How what flows between operators, and what they keep, becomes bytes; without Kryo. */
@NullMarked
package io.counterflow.flink.types;

import org.jspecify.annotations.NullMarked;
