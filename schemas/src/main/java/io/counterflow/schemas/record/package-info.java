/**
 * Records generated from the Avro schemas: bytes on a topic or in a file, not yet meaning.
 *
 * <p>Their {@code toString} prints everything, feature values included: they do not belong in logs
 * or messages. Their builders need Avro to trust this package; the constructors and setters do not.
 */
@NullUnmarked
package io.counterflow.schemas.record;

import org.jspecify.annotations.NullUnmarked;
