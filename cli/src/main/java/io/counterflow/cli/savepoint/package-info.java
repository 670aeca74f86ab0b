/** Lists, shows and deletes loops in a savepoint of the job. */
@NullMarked
package io.counterflow.cli.savepoint;

import org.jspecify.annotations.NullMarked;
