/** Images, compose file and samples agree with what is built. */
@NullMarked
package io.counterflow.cli.deployment;

import org.jspecify.annotations.NullMarked;
