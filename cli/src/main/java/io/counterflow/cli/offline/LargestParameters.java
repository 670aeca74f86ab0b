package io.counterflow.cli.offline;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** A table of a model's parameters: every bias, and the largest weights that are not zero. */
final class LargestParameters {

    /** The action of weights that are not of one action. */
    static final int NO_ACTION = -1;

    /** A model may have millions of weights; nobody reads more than this. */
    static final int MAX_WEIGHTS = 10_000;

    private static final int BIAS = -1;

    private record Parameter(int action, int index, float value) {

        String label() {
            if (action == NO_ACTION) {
                return "index " + index;
            }
            return "action " + action + (index == BIAS ? ", bias" : ", feature " + index);
        }

        double magnitude() {
            return Math.abs(value);
        }
    }

    private final List<Parameter> biases = new ArrayList<>();
    private final PriorityQueue<Parameter> largest = // the smallest of them first
            new PriorityQueue<>(Comparator.comparingDouble(Parameter::magnitude));
    private long omitted;

    void addBias(int action, float bias) {
        biases.add(new Parameter(action, BIAS, bias));
    }

    void addWeights(int action, float[] weights) {
        for (int i = 0; i < weights.length; i++) {
            if (weights[i] != 0.0f) {
                add(new Parameter(action, i, weights[i]));
            }
        }
    }

    private void add(Parameter weight) {
        if (largest.size() < MAX_WEIGHTS) {
            largest.add(weight);
            return;
        }
        omitted++;
        if (weight.magnitude() > largest.element().magnitude()) {
            largest.remove();
            largest.add(weight);
        }
    }

    /** Adds a table in the order of the model. */
    void addTo(FieldReport report) {
        List<Parameter> rows = new ArrayList<>(biases);
        rows.addAll(largest);
        rows.sort(Comparator.comparingInt(Parameter::action).thenComparingInt(Parameter::index));
        Table table = Table.withColumns("parameter", "value");
        rows.forEach(row -> table.row(row.label(), row.value()));
        report.table(table);
        if (omitted > 0) {
            report.line("not shown: %,d smaller weights; --json shows all", omitted);
        }
    }
}
