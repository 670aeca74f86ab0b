/** Calls in the shape that users of Azure Personalizer have in their code. */
@NullMarked
package io.counterflow.serving.personalizer;

import org.jspecify.annotations.NullMarked;
