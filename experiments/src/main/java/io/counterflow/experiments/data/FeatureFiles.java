package io.counterflow.experiments.data;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.data.IdxFile;
import io.counterflow.core.features.DenseVector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads CIFAR-100 as features of a deep network. The training rows are in {@code
 * train-features-0-idx2-ubyte.gz}, {@code train-features-1-idx2-ubyte.gz} and so on, and their
 * labels in {@code train-labels-idx1-ubyte.gz}. The test files have the same names with {@code
 * test}; their features are in one file.
 *
 * <p>A byte q of these files means the feature q² · 40 / 65025.
 */
final class FeatureFiles {

    static final int CLASSES = 100;

    private static final float[] FEATURE = new float[256];

    static {
        for (int q = 0; q < FEATURE.length; q++) {
            FEATURE[q] = q * q * 40.0f / 65025.0f;
        }
    }

    private final Path directory;

    FeatureFiles(Path directory) {
        this.directory = directory;
    }

    static boolean areIn(Path directory) {
        return IdxFile.find(directory, trainPart(0)).isPresent();
    }

    private static String trainPart(int part) {
        return "train-features-" + part + "-idx2-ubyte";
    }

    LabelledSet train() throws IOException {
        List<Path> parts = new ArrayList<>();
        Optional<Path> part = Optional.of(IdxFile.require(directory, trainPart(0)));
        while (part.isPresent()) {
            parts.add(part.get());
            part = IdxFile.find(directory, trainPart(parts.size()));
        }
        return read(parts, IdxFile.require(directory, "train-labels-idx1-ubyte"));
    }

    LabelledSet test() throws IOException {
        return read(
                List.of(IdxFile.require(directory, "test-features-idx2-ubyte")),
                IdxFile.require(directory, "test-labels-idx1-ubyte"));
    }

    private static LabelledSet read(List<Path> parts, Path labelFile) throws IOException {
        int[] labels = labels(labelFile);
        List<DenseVector> contexts = new ArrayList<>(labels.length);
        for (Path part : parts) {
            IdxFile features = IdxFile.read(part, 2);
            int columns = features.size(1);
            if (!contexts.isEmpty() && columns != contexts.get(0).dimension()) {
                throw new BadInputException(
                        "%s must have %,d features, as the parts before it, got %,d"
                                .formatted(part, contexts.get(0).dimension(), columns));
            }
            for (int row = 0; row < features.size(0); row++) {
                float[] x = new float[columns];
                for (int column = 0; column < columns; column++) {
                    x[column] = FEATURE[features.value(row * columns + column)];
                }
                contexts.add(DenseVector.owning(x));
            }
        }
        if (contexts.size() != labels.length) {
            throw new BadInputException(
                    "%s has %,d labels, but %s %,d rows; is a part missing?"
                            .formatted(
                                    labelFile,
                                    labels.length,
                                    parts.size() == 1
                                            ? parts.get(0) + " has"
                                            : "the %d parts of the features have"
                                                    .formatted(parts.size()),
                                    contexts.size()));
        }
        return new LabelledSet(contexts, labels);
    }

    private static int[] labels(Path file) throws IOException {
        IdxFile values = IdxFile.read(file, 1);
        int[] labels = new int[values.size(0)];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = values.value(i);
            if (labels[i] >= CLASSES) {
                throw new BadInputException(
                        "%s must have labels below %d, got %d at row %,d"
                                .formatted(file, CLASSES, labels[i], i));
            }
        }
        return labels;
    }
}
