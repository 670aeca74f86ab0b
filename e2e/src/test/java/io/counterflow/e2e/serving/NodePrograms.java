package io.counterflow.e2e.serving;

import io.counterflow.e2e.shared.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Node.js and the tools that run on it. Without them, tests are skipped. */
final class NodePrograms {

    private static final String REQUIRED = "COUNTERFLOW_REQUIRE_NODE";
    private static final Path PACKAGES = Path.of("..", ".ci/node_modules");
    private static final Path TYPESCRIPT = PACKAGES.resolve("typescript/bin/tsc");

    private NodePrograms() {}

    static Program node() {
        return Program.find(
                "node", REQUIRED, "install Node.js 18 or newer to test the clients in JavaScript");
    }

    /**
     * The variable with which programs outside of the folder {@code .ci} find its packages.
     *
     * @param needed one of the packages
     */
    static Map<String, String> packages(String needed) {
        Program.require(
                Files.exists(PACKAGES.resolve(needed)),
                REQUIRED,
                "run npm ci in the folder .ci to get " + needed);
        return Map.of("NODE_PATH", PACKAGES.toAbsolutePath().normalize().toString());
    }

    static Program npm() {
        return Program.find("npm", REQUIRED, "install npm to test the package for JavaScript");
    }

    /** The compiler, a program for Node.js. */
    static Path typeScript() {
        Program.require(
                Files.exists(TYPESCRIPT),
                REQUIRED,
                "run npm ci in the folder .ci to test the types of the clients");
        return TYPESCRIPT;
    }
}
