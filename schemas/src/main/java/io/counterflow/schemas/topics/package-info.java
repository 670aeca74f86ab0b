/** Where records lie in Kafka, and how it is reached. */
@NullMarked
package io.counterflow.schemas.topics;

import org.jspecify.annotations.NullMarked;
