/** Files that appear whole or not at all. */
@NullMarked
package io.counterflow.schemas.file;

import org.jspecify.annotations.NullMarked;
