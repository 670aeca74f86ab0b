/** Real parts started in this process: the broker. */
@NullMarked
package io.counterflow.cli.embedded;

import org.jspecify.annotations.NullMarked;
