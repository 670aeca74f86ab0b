/** Off-policy estimators, which can be merged. */
@NullMarked
package io.counterflow.core.estimate;

import org.jspecify.annotations.NullMarked;
