package io.counterflow.core.features;

import io.counterflow.core.numeric.Require;
import java.util.List;

/** The value of a named feature. Values are user data and must not be logged. */
public sealed interface FeatureValue
        permits NamedFeatures,
                FeatureValue.Text,
                FeatureValue.Quantity,
                FeatureValue.Flag,
                FeatureValue.Sequence {

    /** A category. */
    record Text(String value) implements FeatureValue {
        @Override
        public String toString() {
            return "Text";
        }
    }

    /** A finite number. */
    record Quantity(double value) implements FeatureValue {
        public Quantity {
            Require.that(Double.isFinite(value), "a feature's number must be finite");
        }

        @Override
        public String toString() {
            return "Quantity";
        }
    }

    /** Yes or no. */
    record Flag(boolean value) implements FeatureValue {
        @Override
        public String toString() {
            return "Flag";
        }
    }

    /** Several values of one name. */
    record Sequence(List<FeatureValue> values) implements FeatureValue {
        public Sequence {
            values = List.copyOf(values);
        }

        @Override
        public String toString() {
            return "Sequence[" + values.size() + " values]";
        }
    }
}
