package io.counterflow.cli.demo;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.data.ImageSet;
import io.counterflow.cli.traffic.ImageWorld;
import io.counterflow.cli.traffic.NewsWorld;
import io.counterflow.cli.traffic.World;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the demo is asked for.
 *
 * @param directory where it keeps its data
 * @param fresh whether it starts over
 * @param dataset what it plays
 * @param data where the files of a data set are
 * @param seed of its users
 * @param port where page and API listen; 0 for any that is free
 */
public record DemoSettings(
        Path directory, boolean fresh, Dataset dataset, Optional<Path> data, long seed, int port) {

    public DemoSettings {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port must be in [0, 65535], got " + port);
        }
    }

    /** The users that are asked for. */
    World world() throws IOException {
        if (dataset == Dataset.SYNTHETIC) {
            return new NewsWorld(seed);
        }
        Path from =
                data.orElseThrow(
                        () ->
                                new BadInputException(
                                        "--dataset fashion-mnist needs --data with the directory of its files"));
        return new ImageWorld(ImageSet.read(from, ImageSet.Part.TRAIN));
    }
}
