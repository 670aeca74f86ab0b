package io.counterflow.e2e.deployment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Files of the project that is being built. */
final class Project {

    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    static final Path DOCKER = ROOT.resolve("docker");

    private static final Pattern VERSION =
            Pattern.compile("counterflow-parent</artifactId>\\s*<version>([^<]+)<");

    private Project() {}

    static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }

    static String version() throws IOException {
        Matcher version = VERSION.matcher(read("pom.xml"));
        if (!version.find()) {
            throw new IllegalStateException("pom.xml has no version of counterflow-parent");
        }
        return version.group(1);
    }

    /** Whether an image has a tag other than latest. */
    static boolean isPinned(String image) {
        return image.matches("[a-z0-9/._-]+:[A-Za-z0-9._-]+") && !image.endsWith(":latest");
    }

    /** Whether the tests can load a class of this name that has a main method. */
    static boolean isMain(String name) {
        try {
            Class.forName(name).getMethod("main", String[].class);
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }
}
