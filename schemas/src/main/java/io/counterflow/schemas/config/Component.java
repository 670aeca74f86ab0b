package io.counterflow.schemas.config;

import java.util.List;

/** A process that reads the configuration file. */
public enum Component {
    /** The Flink job. It ignores keys under {@code serving}. */
    JOB,
    /**
     * The serving process. It ignores keys that are not under {@code kafka}, {@code schemas} or
     * {@code serving}.
     */
    SERVING;

    /** The options that this process reads, in the order of the table. */
    public List<Option<?>> options() {
        return Options.all().stream().filter(option -> option.readBy().contains(this)).toList();
    }

    /** Whether an unknown key of this name is an error. */
    boolean checks(String key) {
        return this == JOB
                ? !key.startsWith("serving.")
                : key.startsWith("serving.")
                        || key.startsWith("kafka.")
                        || key.startsWith("schemas.");
    }
}
