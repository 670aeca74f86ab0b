/**
 * A deployment of separate processes that is killed, paused and damaged under load, and the check
 * that nothing is lost and nothing is counted twice.
 */
@NullMarked
package io.counterflow.e2e.failures;

import org.jspecify.annotations.NullMarked;
