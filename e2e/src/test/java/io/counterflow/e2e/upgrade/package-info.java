/** What an earlier build has written, and deployments that are upgraded or restored. */
@NullMarked
package io.counterflow.e2e.upgrade;

import org.jspecify.annotations.NullMarked;
