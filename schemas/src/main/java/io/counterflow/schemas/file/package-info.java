/** Atomic writing of files. */
@NullMarked
package io.counterflow.schemas.file;

import org.jspecify.annotations.NullMarked;
