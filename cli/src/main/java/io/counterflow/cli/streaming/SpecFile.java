package io.counterflow.cli.streaming;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.spec.LoopSpecJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/** A JSON file with the spec of new loops. */
final class SpecFile {

    private final Path file;
    private final byte[] json;
    private final LoopSpecJson reader = new LoopSpecJson(JsonLimits.defaults());

    private SpecFile(Path file, byte[] json) {
        this.file = file;
        this.json = json;
    }

    static SpecFile read(Path file) throws IOException {
        return new SpecFile(file, Files.readAllBytes(file));
    }

    /** The first spec of a loop. */
    LoopSpec of(String loop, Instant time) {
        try {
            return reader.read(json, loop, 1, time);
        } catch (IllegalArgumentException e) {
            throw new BadInputException("--spec %s: %s".formatted(file, e.getMessage()), e);
        }
    }
}
