package io.counterflow.experiments.data;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.data.IdxFile;
import io.counterflow.cli.data.ImageSet;
import io.counterflow.core.features.DenseVector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32;

/**
 * A data set of the paper's experiments: contexts and their classes. The class is the right action.
 *
 * @param kind the data set of the paper
 * @param train the training data
 * @param test the test data
 * @param classes number of classes, which are the actions
 * @param fingerprint eight hexadecimal digits that identify the data. Different data has the same
 *     digits with probability 2⁻³²
 */
public record ClassificationData(
        Kind kind, LabelledSet train, LabelledSet test, int classes, String fingerprint) {

    /** The data sets of the paper. The files in the directory determine which one it is. */
    public enum Kind {
        /** Images of 28 x 28 pixels, as in MNIST and Fashion-MNIST. */
        FASHION_MNIST,
        /** CIFAR-100 as features of a deep network. */
        CIFAR_100;

        /** Its name in results, such as {@code fashion-mnist}. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * Reads a directory with the files of {@link ImageSet} or of {@link FeatureFiles}.
     *
     * @throws BadInputException if it contains neither, or if files are damaged or do not match
     */
    public static ClassificationData read(Path directory) throws IOException {
        if (IdxFile.find(directory, "train-images-idx3-ubyte").isPresent()) {
            return of(
                    Kind.FASHION_MNIST,
                    labelled(ImageSet.read(directory, ImageSet.Part.TRAIN)),
                    labelled(ImageSet.read(directory, ImageSet.Part.TEST)),
                    ImageSet.CLASSES);
        }
        if (FeatureFiles.areIn(directory)) {
            FeatureFiles files = new FeatureFiles(directory);
            return of(Kind.CIFAR_100, files.train(), files.test(), FeatureFiles.CLASSES);
        }
        throw new BadInputException(
                "%s must hold images (train-images-idx3-ubyte.gz and so on) or features"
                                .formatted(directory)
                        + " (train-features-0-idx2-ubyte.gz and so on), got neither");
    }

    private static ClassificationData of(
            Kind kind, LabelledSet train, LabelledSet test, int classes) {
        if (train.dimension() != test.dimension()) {
            throw new BadInputException(
                    "train and test must have as many features, got %,d and %,d"
                            .formatted(train.dimension(), test.dimension()));
        }
        return new ClassificationData(
                kind, train, test, classes, fingerprint(train, test, classes));
    }

    private static LabelledSet labelled(ImageSet images) {
        List<DenseVector> contexts = new ArrayList<>(images.size());
        int[] labels = new int[images.size()];
        for (int i = 0; i < labels.length; i++) {
            contexts.add(DenseVector.owning(images.image(i)));
            labels[i] = images.label(i);
        }
        return new LabelledSet(contexts, labels);
    }

    private static String fingerprint(LabelledSet train, LabelledSet test, int classes) {
        CRC32 crc = new CRC32();
        crc.update(
                ByteBuffer.allocate(16)
                        .putInt(train.size())
                        .putInt(test.size())
                        .putInt(train.dimension())
                        .putInt(classes)
                        .flip());
        train.addTo(crc);
        test.addTo(crc);
        return String.format(Locale.ROOT, "%08x", crc.getValue());
    }
}
