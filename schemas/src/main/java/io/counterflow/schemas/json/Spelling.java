package io.counterflow.schemas.json;

import java.util.Collection;
import java.util.Optional;

/** Finds the name that somebody may have meant. */
public final class Spelling {

    private static final int MAX_EDITS = 2;
    private static final int LONGEST = 40;

    private Spelling() {}

    /** The known name that is fewest edits away, case aside; empty when all are too far away. */
    public static Optional<String> closest(String given, Collection<String> known) {
        if (given.length() > LONGEST) { // the work is the product of two lengths
            return Optional.empty();
        }
        Optional<String> closest = Optional.empty();
        int fewest = Math.min(MAX_EDITS, given.length() - 1) + 1;
        for (String name : known) {
            int edits = given.equalsIgnoreCase(name) ? 0 : edits(given, name);
            if (edits < fewest) {
                fewest = edits;
                closest = Optional.of(name);
            }
        }
        return closest;
    }

    /** Levenshtein's distance: letters to add, drop or replace. */
    private static int edits(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
