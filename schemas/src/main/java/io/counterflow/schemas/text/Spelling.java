package io.counterflow.schemas.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the word that may have been meant. */
public final class Spelling {

    private Spelling() {}

    /**
     * The known word that is fewest typing mistakes away, if there are few: at most one for every
     * three letters. Of equally near ones the first in the alphabet.
     */
    public static Optional<String> nearest(String word, Collection<String> known) {
        int allowed = Math.max(1, word.length() / 3);
        return known.stream()
                .filter(candidate -> mistakes(word, candidate) <= allowed)
                .min(
                        Comparator.comparingInt((String candidate) -> mistakes(word, candidate))
                                .thenComparing(Comparator.naturalOrder()));
    }

    /**
     * Letters left out, added, replaced, or swapped with their neighbour, to get from one word to
     * the other (the optimal string alignment distance).
     */
    static int mistakes(String from, String to) {
        int[][] distance = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                distance[i][j] = i == 0 || j == 0 ? i + j : cheapest(from, to, distance, i, j);
            }
        }
        return distance[from.length()][to.length()];
    }

    private static int cheapest(String from, String to, int[][] distance, int i, int j) {
        boolean same = from.charAt(i - 1) == to.charAt(j - 1);
        int replaced = distance[i - 1][j - 1] + (same ? 0 : 1);
        int leftOutOrAdded = Math.min(distance[i - 1][j], distance[i][j - 1]) + 1;
        int best = Math.min(replaced, leftOutOrAdded);
        boolean neighboursSwapped =
                i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
        return neighboursSwapped ? Math.min(best, distance[i - 2][j - 2] + 1) : best;
    }
}
