/** What came of decisions. */
@NullMarked
package io.counterflow.serving.reward;

import org.jspecify.annotations.NullMarked;
