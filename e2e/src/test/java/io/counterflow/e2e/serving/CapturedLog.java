package io.counterflow.e2e.serving;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;

/** Writes the log of Kafka, Flink and the job to a file until it is closed. */
final class CapturedLog implements AutoCloseable {

    private final Path file;

    private CapturedLog(Path file) {
        this.file = file;
    }

    static CapturedLog to(Path file) {
        ConfigurationBuilder<BuiltConfiguration> builder = silent();
        builder.add(
                builder.newAppender("file", "File")
                        .addAttribute("fileName", file.toString())
                        .add(
                                builder.newLayout("PatternLayout")
                                        .addAttribute("pattern", "%-5p %c{1.} %m%n%ex")));
        builder.add(builder.newRootLogger(Level.INFO).add(builder.newAppenderRef("file")));
        Configurator.reconfigure(builder.build());
        return new CapturedLog(file);
    }

    private static ConfigurationBuilder<BuiltConfiguration> silent() {
        return ConfigurationBuilderFactory.newConfigurationBuilder().setStatusLevel(Level.OFF);
    }

    String text() throws IOException {
        return Files.readString(file);
    }

    /** Turns logging off again. */
    @Override
    public void close() {
        ConfigurationBuilder<BuiltConfiguration> builder = silent();
        builder.add(builder.newRootLogger(Level.OFF));
        Configurator.reconfigure(builder.build());
    }
}
