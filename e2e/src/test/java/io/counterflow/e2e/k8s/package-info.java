/**
 * Tests of the manifests in {@code k8s}: kubectl renders them, their fields and references are
 * checked, and they are compared with the code that they deploy.
 */
@NullMarked
package io.counterflow.e2e.k8s;

import org.jspecify.annotations.NullMarked;
