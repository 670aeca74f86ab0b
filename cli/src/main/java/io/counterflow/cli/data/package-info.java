/** Image data sets in IDX files. */
@NullMarked
package io.counterflow.cli.data;

import org.jspecify.annotations.NullMarked;
