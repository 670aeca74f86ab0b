/** Decisions in the caller's process, logged as the server logs them. */
@NullMarked
package io.counterflow.client.local;

import org.jspecify.annotations.NullMarked;
