package io.counterflow.cli.exports;

import io.counterflow.cli.console.Losses;
import io.counterflow.cli.imports.DsjsonFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.Context;
import java.util.ArrayList;
import java.util.List;

/** Features in the form of decision-service JSON, where names that start with _ have meanings. */
final class PlainFeatures {

    private static final String VECTOR = "vector";

    private final Losses<ExportLoss> losses;

    PlainFeatures(Losses<ExportLoss> losses) {
        this.losses = losses;
    }

    /** The features of a context; those of a vector are in a namespace of their own. */
    NamedFeatures of(Context context) {
        if (context instanceof Context.Named named) {
            return of(named.features());
        }
        losses.add(ExportLoss.VECTOR);
        Context.Vector vector = (Context.Vector) context;
        FeatureValue values =
                vector.features() instanceof SparseVector sparse
                        ? ofSparse(sparse)
                        : ofDense((DenseVector) vector.features());
        return new NamedFeatures(List.of(new NamedFeatures.Entry(VECTOR, values)));
    }

    private static FeatureValue ofDense(DenseVector vector) {
        List<FeatureValue> values = new ArrayList<>(vector.dimension());
        for (float value : vector.values()) {
            values.add(quantity(value));
        }
        return new FeatureValue.Sequence(values);
    }

    private static FeatureValue ofSparse(SparseVector vector) {
        List<NamedFeatures.Entry> entries = new ArrayList<>(vector.entries());
        for (int i = 0; i < vector.entries(); i++) {
            entries.add(
                    new NamedFeatures.Entry(
                            Integer.toString(vector.index(i)), quantity(vector.value(i))));
        }
        return new NamedFeatures(entries);
    }

    /** The shortest number that is the same float. */
    private static FeatureValue quantity(float value) {
        return new FeatureValue.Quantity(Double.parseDouble(Float.toString(value)));
    }

    /** The features without those whose names start with _. */
    NamedFeatures of(NamedFeatures features) {
        List<NamedFeatures.Entry> entries = new ArrayList<>(features.entries().size());
        for (NamedFeatures.Entry entry : features.entries()) {
            if (entry.name().startsWith("_")) {
                losses.add(ExportLoss.UNDERSCORES);
            } else {
                entries.add(new NamedFeatures.Entry(entry.name(), of(entry.value())));
            }
        }
        return new NamedFeatures(entries);
    }

    private FeatureValue of(FeatureValue value) {
        if (value instanceof NamedFeatures namespace) {
            return of(namespace);
        }
        return value instanceof FeatureValue.Sequence sequence
                ? new FeatureValue.Sequence(
                        sequence.values().stream()
                                .map(item -> DsjsonFeatures.toItem(of(item)))
                                .toList())
                : value;
    }
}
