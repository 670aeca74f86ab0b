/** What all commands share: terminal, help, output, progress, option types and errors. */
@NullMarked
package io.counterflow.cli.console;

import org.jspecify.annotations.NullMarked;
