/** Documents: their links, and the commands that they show. */
@NullMarked
package io.counterflow.e2e.docs;

import org.jspecify.annotations.NullMarked;
