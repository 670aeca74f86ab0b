package io.counterflow.e2e.dashboard;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The metrics and labels of a query, found without a parser for its grammar.
 *
 * @param selected metrics with the labels that are selected by
 * @param grouped labels that results are grouped or matched by
 */
record QueriedMetrics(Map<String, Set<String>> selected, Set<String> grouped) {

    private static final Set<String> WORDS = Set.of("and", "or", "unless", "bool", "offset", "le");
    private static final Pattern TEXT = Pattern.compile("\"(?:\\\\.|[^\"\\\\])*\"");
    private static final Pattern RANGE = Pattern.compile("\\[[^]]*]");
    private static final Pattern GROUPING =
            Pattern.compile(
                    "\\b(?:by|without|on|ignoring|group_left|group_right)\\s*\\(([^)]*)\\)");
    private static final Pattern SELECTED =
            Pattern.compile("(?<![\\w.])([a-zA-Z_:][\\w:]*)\\s*(\\{[^}]*}|\\()?");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)");

    static QueriedMetrics of(String query) {
        String plain = RANGE.matcher(TEXT.matcher(query).replaceAll("''")).replaceAll("");
        Set<String> grouped = new LinkedHashSet<>();
        Matcher grouping = GROUPING.matcher(plain);
        while (grouping.find()) {
            Arrays.stream(grouping.group(1).split(",", -1))
                    .map(String::strip)
                    .filter(it -> !it.isEmpty())
                    .forEach(grouped::add);
        }
        Map<String, Set<String>> selected = new LinkedHashMap<>();
        Matcher name = SELECTED.matcher(GROUPING.matcher(plain).replaceAll(" "));
        while (name.find()) {
            String after = name.group(2) == null ? "" : name.group(2);
            if (!after.equals("(") && !WORDS.contains(name.group(1))) { // no function, no operator
                Set<String> labels =
                        selected.computeIfAbsent(name.group(1), it -> new LinkedHashSet<>());
                MATCHER.matcher(after).results().map(QueriedMetrics::label).forEach(labels::add);
            }
        }
        return new QueriedMetrics(selected, grouped);
    }

    private static String label(MatchResult matcher) {
        return matcher.group(1);
    }
}
