package io.counterflow.flink.loop;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;

/** The ids of the last commands of a loop. A producer that retries may write a command twice. */
final class RecentCommands {

    private static final int MAX_IDS = 100;

    private final LinkedHashSet<String> ids;

    /**
     * @param ids oldest first
     */
    RecentCommands(List<String> ids) {
        this.ids = new LinkedHashSet<>(ids);
    }

    boolean contains(String id) {
        return ids.contains(id);
    }

    void add(String id) {
        ids.add(id);
        if (ids.size() > MAX_IDS) {
            Iterator<String> oldest = ids.iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** Oldest first. */
    List<String> ids() {
        return List.copyOf(ids);
    }
}
