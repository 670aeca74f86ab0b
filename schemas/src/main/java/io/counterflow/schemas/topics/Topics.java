package io.counterflow.schemas.topics;

import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The names of the topics of one deployment.
 *
 * @param prefix what all of them start with, before a dot
 */
public record Topics(String prefix) implements Serializable {

    /** Kafka takes 249 characters, and the longest suffix with its dot has 17. */
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");

    public Topics {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new IllegalArgumentException(
                    "topic prefix must match %s, got \"%s\"".formatted(PREFIX, prefix));
        }
    }

    /** The whole name of a topic. */
    public String name(Topic topic) {
        return prefix + "." + topic.suffix();
    }

    /** The whole names of topics. */
    public List<String> names(Collection<Topic> topics) {
        return topics.stream().map(this::name).toList();
    }
}
