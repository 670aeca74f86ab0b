/** The demo: simulated users, and the whole loop around them in one process. */
@NullMarked
package io.counterflow.cli.demo;

import org.jspecify.annotations.NullMarked;
