/** Copies the topics of a deployment to files and back, with their offsets. */
@NullMarked
package io.counterflow.cli.backup;

import org.jspecify.annotations.NullMarked;
