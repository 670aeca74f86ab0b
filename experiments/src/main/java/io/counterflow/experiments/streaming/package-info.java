/** The streaming learner compared with offline training on the same log. */
@NullMarked
package io.counterflow.experiments.streaming;

import org.jspecify.annotations.NullMarked;
