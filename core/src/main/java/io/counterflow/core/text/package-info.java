/** Text forms of names, durations and digests. */
@NullMarked
package io.counterflow.core.text;

import org.jspecify.annotations.NullMarked;
