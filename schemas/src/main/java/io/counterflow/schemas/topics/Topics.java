package io.counterflow.schemas.topics;

import io.counterflow.core.text.PlainName;
import java.io.Serializable;
import java.util.Collection;
import java.util.List;

/**
 * The names of the topics of one deployment.
 *
 * @param prefix prefix of all names, followed by a dot
 */
public record Topics(String prefix) implements Serializable {

    /** Kafka allows 249 characters. The longest suffix with its dot has 17. */
    private static final int MAX_PREFIX = 200;

    public Topics {
        PlainName.require(prefix, "topic prefix", MAX_PREFIX);
    }

    public String name(Topic topic) {
        return prefix + "." + topic.suffix();
    }

    public List<String> names(Collection<Topic> topics) {
        return topics.stream().map(this::name).toList();
    }
}
