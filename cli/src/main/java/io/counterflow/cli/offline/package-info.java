/** Commands that learn from logs and evaluate policies on them. */
@NullMarked
package io.counterflow.cli.offline;

import org.jspecify.annotations.NullMarked;
