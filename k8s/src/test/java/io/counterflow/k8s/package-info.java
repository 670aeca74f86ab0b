/**
 * What keeps manifests true: rendered, checked strictly, and compared with the code that they
 * deploy.
 */
@NullMarked
package io.counterflow.k8s;

import org.jspecify.annotations.NullMarked;
