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

/** What the documents link to, pictures among it, is there. */
final class DocumentLinksIT {

    private static final Path ROOT = Path.of("..");
    private static final Pattern LINK =
            Pattern.compile("]\\(([^)\\s]+)\\)|(?:src|href)=\"([^\"]+)\"");
    private static final Pattern CODE =
            Pattern.compile("^```.*?^```$|`[^`\\n]*`", Pattern.DOTALL | Pattern.MULTILINE);
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
}
