/** Broker, job and serving in one process. */
@NullMarked
package io.counterflow.cli.standalone;

import org.jspecify.annotations.NullMarked;
