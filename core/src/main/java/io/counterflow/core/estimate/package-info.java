/** Off-policy estimators and confidence sequences, all mergeable. */
@NullMarked
package io.counterflow.core.estimate;

import org.jspecify.annotations.NullMarked;
