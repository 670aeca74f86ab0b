/** Windows of estimates, as the job publishes them. */
@NullMarked
package io.counterflow.serving.stats;

import org.jspecify.annotations.NullMarked;
