package io.counterflow.schemas.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Suggests the word that a mistyped word may stand for. */
public final class Spelling {

    /** The work grows with the product of two lengths, so longer words have no suggestion. */
    private static final int MAX_LENGTH = 60;

    private Spelling() {}

    /**
     * The known word with the fewest typing mistakes, if there is at most one mistake for every
     * three letters. If several are equally near, the first in the alphabet.
     */
    public static Optional<String> nearest(String word, Collection<String> known) {
        return near(word, known).stream().findFirst();
    }

    /** All known words with so few mistakes, the nearest first. */
    public static List<String> near(String word, Collection<String> known) {
        if (word.length() > MAX_LENGTH) {
            return List.of();
        }
        int allowed = Math.max(1, word.length() / 3);
        return known.stream()
                .filter(candidate -> mistakes(word, candidate) <= allowed)
                .sorted(
                        Comparator.comparingInt((String candidate) -> mistakes(word, candidate))
                                .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /**
     * The number of letters to remove, add, replace or swap with their neighbour to get from one
     * word to the other (the optimal string alignment distance).
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
