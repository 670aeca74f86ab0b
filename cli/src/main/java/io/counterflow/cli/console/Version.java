package io.counterflow.cli.console;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.IVersionProvider;

/** The version that Maven wrote into the resources of this module. */
public final class Version implements IVersionProvider {

    private static final String RESOURCE = "version.txt";

    @Override
    public String[] getVersion() throws IOException {
        return new String[] {"counterflow " + number()};
    }

    /** The version of this build. */
    public static String number() throws IOException {
        try (InputStream resource = Version.class.getResourceAsStream(RESOURCE)) {
            if (resource == null) {
                throw new IOException(RESOURCE + " is missing from the class path");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }
}
