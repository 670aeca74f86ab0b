/** Anytime-valid confidence sequences, and how their error probability is spent. */
@NullMarked
package io.counterflow.core.confidence;

import org.jspecify.annotations.NullMarked;
