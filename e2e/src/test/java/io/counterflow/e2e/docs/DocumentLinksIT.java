package io.counterflow.e2e.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Links in documents lead to files and headings, lines are wrapped, and the list of modules is
 * complete.
 */
final class DocumentLinksIT {

    private static final Set<String> NOT_OURS = Set.of("target", ".git", "node_modules");
    private static final Path ROOT = Path.of("..");
    private static final Pattern LINK =
            Pattern.compile("]\\(([^)\\s]+)\\)|(?:src|href)=\"([^\"]+)\"");
    private static final Pattern CODE =
            Pattern.compile("^```.*?^```$|`[^`\\n]*`", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern FENCED =
            Pattern.compile("^ *```.*?^ *```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final int MAX_LINE = 100;

    /** Their tables and captions are what the experiments print. */
    private static final Pattern RESULTS = Pattern.compile(".*/docs/results(/.*)?\\.md");

    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern TABLE_OF_MODULES =
            Pattern.compile("\\| module \\|.*?\\n\\n", Pattern.DOTALL);
    private static final Pattern ROW = Pattern.compile("^\\| `([^`]+)` \\|", Pattern.MULTILINE);

    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");
    private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.+?) *$", Pattern.MULTILINE);
    private static final Pattern LINKED = Pattern.compile("!?\\[([^]]*)]\\([^)]*\\)");
    private static final Pattern ANCHOR = Pattern.compile("\\b(?:id|name)=\"([^\"]+)\"");

    /** All Markdown files of the repository. */
    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>();
        Files.walkFileTree(
                ROOT,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path directory, BasicFileAttributes attributes) {
                        return NOT_OURS.contains(directory.getFileName().toString())
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (file.toString().endsWith(".md")) {
                            documents.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return documents;
    }

    /** The anchors of a page: its headings, as GitHub names them, and the anchors in HTML. */
    private static Set<String> anchors(String page) {
        String text = FENCED.matcher(page).replaceAll("");
        Set<String> anchors = new HashSet<>(all(ANCHOR, text));
        for (String heading : all(HEADING, text)) {
            String slug = slug(heading);
            String anchor = slug;
            for (int i = 1; !anchors.add(anchor); i++) {
                anchor = slug + "-" + i;
            }
        }
        return anchors;
    }

    /** Lower case, without punctuation, and with hyphens for spaces. */
    private static String slug(String heading) {
        return LINKED.matcher(heading)
                .replaceAll("$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{M}\\p{N}_ -]", "")
                .replace(' ', '-');
    }

    @Test
    void anAnchorIsTheHeadingAsGitHubNamesIt() {
        String page =
                """
                # The `loop.cache-size` key & [more](x.md)
                ## Steps
                ```
                # a comment
                ```
                ## Steps
                """;
        assertThat(anchors(page))
                .containsExactlyInAnyOrder("the-loopcache-size-key--more", "steps", "steps-1");
    }

    @Test
    void everyRelativeLinkLeadsToAFileAndToAHeading() throws IOException {
        List<String> broken = new ArrayList<>();
        int followed = 0;
        for (Path document : documents()) {
            String text = CODE.matcher(Files.readString(document)).replaceAll("");
            Matcher link = LINK.matcher(text);
            while (link.find()) {
                String target = link.group(1) == null ? link.group(2) : link.group(1);
                if (!ELSEWHERE.matcher(target).matches()) {
                    followed++;
                    if (!exists(document, target)) {
                        broken.add(document + " -> " + target);
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(followed).isGreaterThan(100);
    }

    private static boolean exists(Path document, String target) throws IOException {
        String[] parts = target.split("#", 2);
        Path file = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]);
        return Files.exists(file)
                && (parts.length == 1
                        || !file.toString().endsWith(".md")
                        || anchors(Files.readString(file)).contains(parts[1]));
    }

    @Test
    void linesHaveAtMostAHundredCharactersExceptTablesCodeAndLinks() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path document : documents()) {
            if (!RESULTS.matcher(document.toString()).matches()) {
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
