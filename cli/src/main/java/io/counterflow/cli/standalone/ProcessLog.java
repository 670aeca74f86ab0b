package io.counterflow.cli.standalone;

import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;

/** Sends the logs of Kafka and Flink to a file, so that they do not disturb the terminal. */
public final class ProcessLog {

    private static final String APPENDER = "file";

    private ProcessLog() {}

    public static void writeTo(Path file) {
        ConfigurationBuilder<BuiltConfiguration> builder = builder();
        builder.add(
                builder.newAppender(APPENDER, "RollingFile")
                        .addAttribute("fileName", file.toString())
                        .addAttribute("filePattern", file + ".%i")
                        .add(
                                builder.newLayout("PatternLayout")
                                        .addAttribute(
                                                "pattern", "%d{ISO8601} %-5p [%t] %c{1.} %m%n%ex"))
                        .addComponent(
                                builder.newComponent("SizeBasedTriggeringPolicy")
                                        .addAttribute("size", "10MB"))
                        .addComponent(
                                builder.newComponent("DefaultRolloverStrategy")
                                        .addAttribute("max", "2")));
        builder.add(builder.newRootLogger(Level.WARN).add(builder.newAppenderRef(APPENDER)));
        Configurator.reconfigure(builder.build());
    }

    public static void off() {
        ConfigurationBuilder<BuiltConfiguration> builder = builder();
        Configurator.reconfigure(builder.add(builder.newRootLogger(Level.OFF)).build());
    }

    private static ConfigurationBuilder<BuiltConfiguration> builder() {
        return ConfigurationBuilderFactory.newConfigurationBuilder().setStatusLevel(Level.OFF);
    }
}
