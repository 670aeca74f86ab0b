/** Requests and answers over HTTP: routes, limits, problems. */
@NullMarked
package io.counterflow.serving.http;

import org.jspecify.annotations.NullMarked;
