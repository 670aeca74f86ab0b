package io.counterflow.e2e.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links in documents lead to files, lines are wrapped, and the list of modules is complete. */
final class DocumentLinksIT {

    private static final Path ROOT = Path.of("..");
    private static final Pattern LINK =
            Pattern.compile("]\\(([^)\\s]+)\\)|(?:src|href)=\"([^\"]+)\"");
    private static final Pattern CODE =
            Pattern.compile("^```.*?^```$|`[^`\\n]*`", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern FENCED =
            Pattern.compile("^ *```.*?^ *```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final int MAX_LINE = 100;

    /** Its tables and their captions are what the experiments print. */
    private static final Path RESULTS = ROOT.resolve("docs/results.md");

    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern TABLE_OF_MODULES =
            Pattern.compile("\\| module \\|.*?\\n\\n", Pattern.DOTALL);
    private static final Pattern ROW = Pattern.compile("^\\| `([^`]+)` \\|", Pattern.MULTILINE);

    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*|#.*");

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>();
        for (Path folder : List.of(ROOT, ROOT.resolve("docs"), ROOT.resolve("docs/decisions"))) {
            try (Stream<Path> files = Files.list(folder)) {
                files.filter(it -> it.toString().endsWith(".md")).forEach(documents::add);
            }
        }
        return documents;
    }

    @Test
    void everyRelativeLinkLeadsToAFile() throws IOException {
        List<String> broken = new ArrayList<>();
        int followed = 0;
        for (Path document : documents()) {
            String text = CODE.matcher(Files.readString(document)).replaceAll("");
            Matcher link = LINK.matcher(text);
            while (link.find()) {
                String target = link.group(1) == null ? link.group(2) : link.group(1);
                if (!ELSEWHERE.matcher(target).matches()) {
                    followed++;
                    Path folder = Objects.requireNonNull(document.getParent());
                    String file = target.replaceFirst("#.*", "");
                    if (!Files.exists(folder.resolve(file))) {
                        broken.add(document + " -> " + target);
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(followed).isGreaterThan(30);
    }

    @Test
    void linesHaveAtMostAHundredCharactersExceptTablesCodeAndLinks() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path document : documents()) {
            if (!document.equals(RESULTS)) {
                String text = FENCED.matcher(Files.readString(document)).replaceAll("");
                text.lines()
                        .filter(line -> !line.stripLeading().startsWith("|"))
                        .filter(line -> withoutTargets(line).length() > MAX_LINE)
                        .forEach(line -> tooLong.add(document + ": " + line));
            }
        }
        assertThat(tooLong).isEmpty();
    }

    private static String withoutTargets(String line) {
        return LINK.matcher(line).replaceAll("]()");
    }

    @Test
    void theTableOfModulesHasEveryModule() throws IOException {
        Matcher table =
                TABLE_OF_MODULES.matcher(Files.readString(ROOT.resolve("docs/architecture.md")));
        assertThat(table.find()).isTrue();
        assertThat(all(ROW, table.group()))
                .containsExactlyInAnyOrderElementsOf(
                        all(MODULE, Files.readString(ROOT.resolve("pom.xml"))));
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(it -> it.group(1)).toList();
    }
}
