/** Keys, defaults and words of the job's configuration, and the checked values they become. */
@NullMarked
package io.counterflow.flink.config;

import org.jspecify.annotations.NullMarked;
