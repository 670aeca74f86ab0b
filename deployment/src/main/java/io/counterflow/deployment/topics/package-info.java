/** Where records lie in Kafka, and how it is reached. */
@NullMarked
package io.counterflow.deployment.topics;

import org.jspecify.annotations.NullMarked;
