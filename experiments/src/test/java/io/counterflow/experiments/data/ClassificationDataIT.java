package io.counterflow.experiments.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.data.IdxFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClassificationDataIT {

    private static final Path CIFAR_100 = Path.of("../../shared/data/cifar100-features");

    @TempDir private Path dir;

    @BeforeEach
    void writeFeatures() throws IOException {
        features("train-features-0", 2, 2, 0, 255, 51, 102);
        features("train-features-1", 1, 2, 255, 0);
        labels("train", 3, 99, 0);
        features("test-features", 1, 2, 1, 2);
        labels("test", 7);
    }

    private void features(String name, int rows, int columns, int... values) throws IOException {
        IdxFiles.write(dir, name + "-idx2-ubyte", new int[] {rows, columns}, bytes(values));
    }

    private void labels(String part, int... values) throws IOException {
        IdxFiles.write(dir, part + "-labels-idx1-ubyte", new int[] {values.length}, bytes(values));
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    private void refused(String... words) {
        assertThatThrownBy(() -> ClassificationData.read(dir))
                .isInstanceOf(BadInputException.class)
                .hasMessageContainingAll(words);
    }

    @Test
    void featureFilesAreReadAsOneSetWithSquaredBytes() throws IOException {
        ClassificationData data = ClassificationData.read(dir);
        assertThat(data.kind()).isEqualTo(ClassificationData.Kind.CIFAR_100);
        assertThat(data.classes()).isEqualTo(100);
        assertThat(data.train().size()).isEqualTo(3);
        assertThat(data.train().context(0).values()).containsExactly(0.0f, 40.0f);
        assertThat(data.train().context(1).values())
                .containsExactly(51 * 51 * 40.0f / 65025.0f, 102 * 102 * 40.0f / 65025.0f);
        assertThat(data.train().context(2).values()).containsExactly(40.0f, 0.0f);
        assertThat(data.train().label(1)).isEqualTo(99);
        assertThat(data.test().label(0)).isEqualTo(7);
    }

    @Test
    void aMissingFileIsDetectedByTheNumberOfLabels() throws IOException {
        Files.delete(dir.resolve("train-features-1-idx2-ubyte.gz"));
        refused("3 labels", "2 rows", "is a part missing?");
    }

    @Test
    void aTruncatedFileIsRefused() throws IOException {
        Path file = dir.resolve("train-features-1-idx2-ubyte.gz");
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length - 9));
        refused("train-features-1", "truncated");
    }

    @Test
    void aFileWithAnotherNumberOfFeaturesIsRefused() throws IOException {
        features("train-features-1", 1, 3, 1, 2, 3);
        refused("train-features-1", "must have 2 features", "got 3");
    }

    @Test
    void testDataWithAnotherNumberOfFeaturesIsRefused() throws IOException {
        features("test-features", 1, 1, 1);
        refused("train and test must have as many features, got 2 and 1");
    }

    @Test
    void aLabelThatIsNotAClassIsRefused() throws IOException {
        labels("train", 3, 100, 0);
        refused("labels below 100, got 100 at row 1");
    }

    @Test
    void aLabelFileInPlaceOfAFeatureFileIsRefused() throws IOException {
        IdxFiles.write(dir, "test-features-idx2-ubyte", new int[] {1}, bytes(1));
        refused("test-features", "must begin with 0x00000802", "got 0x00000801");
    }

    @Test
    void aDirectoryOfSomethingElseSaysWhatIsMissing(@TempDir Path empty) {
        assertThatThrownBy(() -> ClassificationData.read(empty))
                .isInstanceOf(BadInputException.class)
                .hasMessageContainingAll("train-images-idx3-ubyte.gz", "train-features-0-idx2");
    }

    @Test
    void differentDataHasDifferentFingerprints() throws IOException {
        String before = ClassificationData.read(dir).fingerprint();
        assertThat(ClassificationData.read(dir).fingerprint()).isEqualTo(before).hasSize(8);
        labels("train", 3, 98, 0);
        assertThat(ClassificationData.read(dir).fingerprint()).isNotEqualTo(before);
    }

    @Test
    void oneChangedFeatureChangesTheFingerprint() throws IOException {
        String before = ClassificationData.read(dir).fingerprint();
        features("train-features-1", 1, 2, 255, 1);
        String train = ClassificationData.read(dir).fingerprint();
        features("train-features-1", 1, 2, 255, 0);
        features("test-features", 1, 2, 1, 3);
        assertThat(ClassificationData.read(dir).fingerprint()).isNotIn(before, train);
        assertThat(train).isNotEqualTo(before);
    }

    @Test
    void theFeaturesOfCifar100AreReadWhole() throws IOException {
        assumeThat(CIFAR_100).as("skipped: CIFAR-100 is not on this machine").exists();
        LabelledSet test = new FeatureFiles(CIFAR_100).test(); // the smaller set
        assertThat(test.size()).isEqualTo(10_000);
        assertThat(test.dimension()).isEqualTo(2048);
        int[] perClass = new int[FeatureFiles.CLASSES];
        for (int i = 0; i < test.size(); i++) {
            perClass[test.label(i)]++;
        }
        assertThat(perClass).containsOnly(100);
    }
}
