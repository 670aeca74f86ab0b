package io.counterflow.cli.data;

import io.counterflow.core.numeric.EventRandom;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/** Writes small data sets in the IDX format. */
public final class IdxFiles {

    private static final int PIXELS = 16;

    private IdxFiles() {}

    /** Images of 4 x 4 pixels in ten classes: a pattern per class with noise. */
    public static void images(Path directory, int train, int test) throws IOException {
        EventRandom random = new EventRandom(5);
        byte[][] patterns = new byte[10][PIXELS];
        for (byte[] pattern : patterns) {
            for (int p = 0; p < PIXELS; p++) {
                pattern[p] = (byte) (random.nextInt(2) * 160);
            }
        }
        part(directory, "train", train, patterns, random);
        part(directory, "t10k", test, patterns, random);
    }

    private static void part(
            Path directory, String prefix, int count, byte[][] patterns, EventRandom random)
            throws IOException {
        byte[] pixels = new byte[count * PIXELS];
        byte[] labels = new byte[count];
        for (int i = 0; i < count; i++) {
            labels[i] = (byte) random.nextInt(patterns.length);
            for (int p = 0; p < PIXELS; p++) {
                int noise = random.nextInt(96);
                pixels[i * PIXELS + p] = (byte) ((patterns[labels[i]][p] & 0xff) + noise);
            }
        }
        write(directory, prefix + "-images-idx3-ubyte", new int[] {count, 4, 4}, pixels);
        write(directory, prefix + "-labels-idx1-ubyte", new int[] {count}, labels);
    }

    /** Writes one compressed file. */
    public static void write(Path directory, String name, int[] sizes, byte[] values)
            throws IOException {
        try (DataOutputStream out =
                new DataOutputStream(
                        new GZIPOutputStream(
                                Files.newOutputStream(directory.resolve(name + ".gz"))))) {
            out.writeInt(0x0800 | sizes.length);
            for (int size : sizes) {
                out.writeInt(size);
            }
            out.write(values);
        }
    }
}
