package io.counterflow.cli.demo;

import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;

/** Sends what Kafka and Flink log to a file, so that the terminal stays the demo's. */
final class DemoLog implements AutoCloseable {

    private static final String APPENDER = "file";

    private DemoLog() {}

    static DemoLog to(Path file) {
        ConfigurationBuilder<BuiltConfiguration> builder =
                ConfigurationBuilderFactory.newConfigurationBuilder();
        builder.setStatusLevel(Level.OFF);
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
        return new DemoLog();
    }

    /** Back to silence. */
    @Override
    public void close() {
        ConfigurationBuilder<BuiltConfiguration> builder =
                ConfigurationBuilderFactory.newConfigurationBuilder();
        builder.setStatusLevel(Level.OFF);
        builder.add(builder.newRootLogger(Level.OFF));
        Configurator.reconfigure(builder.build());
    }
}
