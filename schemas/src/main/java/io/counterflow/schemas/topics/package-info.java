/** Kafka topics: names, settings, creation and reading. */
@NullMarked
package io.counterflow.schemas.topics;

import org.jspecify.annotations.NullMarked;
