package io.counterflow.serving.stats;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * True mean rewards of policies, which only a simulation knows.
 *
 * @param best of the best possible policy
 * @param uniform of drawing actions at random
 * @param versions of published versions, as far as they are known
 */
public record TrueValues(double best, double uniform, SortedMap<Long, Double> versions) {

    public TrueValues(double best, double uniform, Map<Long, Double> versions) {
        this(best, uniform, Collections.unmodifiableSortedMap(new TreeMap<>(versions)));
    }
}
