/**
 * Records generated from the Avro schemas: the form of data on topics and in files.
 *
 * <p>Their {@code toString} prints everything, including feature values, so they must not be logged
 * or used in messages. Their builders need Avro to trust this package; constructors and setters do
 * not.
 */
@NullUnmarked
package io.counterflow.schemas.record;

import org.jspecify.annotations.NullUnmarked;
