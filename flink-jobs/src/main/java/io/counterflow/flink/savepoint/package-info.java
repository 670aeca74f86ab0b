/** Lists, reads and deletes loops in savepoints, without a running job. */
@NullMarked
package io.counterflow.flink.savepoint;

import org.jspecify.annotations.NullMarked;
