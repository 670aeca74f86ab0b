package io.counterflow.cli.imports;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The ids of actions that may have tags. */
final class ActionIds {

    private ActionIds() {}

    /** The tags, if every action has one of its own; otherwise the numbers from 1. */
    static List<String> of(List<Optional<String>> tags, Intake intake) {
        List<String> given = tags.stream().flatMap(Optional::stream).toList();
        if (given.size() == tags.size() && new HashSet<>(given).size() == given.size()) {
            return given;
        }
        if (!given.isEmpty()) {
            intake.lose(Loss.TAGS);
        }
        return numbered(tags.size());
    }

    static List<String> numbered(int actions) {
        return IntStream.rangeClosed(1, actions).mapToObj(Integer::toString).toList();
    }
}
