/** Real parts started in this process: a Kafka broker and a Flink cluster. */
@NullMarked
package io.counterflow.cli.embedded;

import org.jspecify.annotations.NullMarked;
