/** Anytime-valid confidence sequences, and how their error probability is divided. */
@NullMarked
package io.counterflow.core.confidence;

import org.jspecify.annotations.NullMarked;
