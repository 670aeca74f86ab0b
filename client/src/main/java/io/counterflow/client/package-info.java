/** The Java client: calls over HTTP. */
@NullMarked
package io.counterflow.client;

import org.jspecify.annotations.NullMarked;
