/** The schemas of records on topics. */
@NullMarked
package io.counterflow.serving.schemas;

import org.jspecify.annotations.NullMarked;
