/** For programs that ask for decisions: over HTTP, or taken in their own process. */
@NullMarked
package io.counterflow.serving.client;

import org.jspecify.annotations.NullMarked;
