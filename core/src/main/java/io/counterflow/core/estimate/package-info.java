/** Off-policy estimators, their reward models, and confidence sequences; all of them merge. */
@NullMarked
package io.counterflow.core.estimate;

import org.jspecify.annotations.NullMarked;
