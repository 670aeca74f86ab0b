package io.counterflow.schemas.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** With {@code -Dcounterflow.writeDocs=true} the test writes the page instead of comparing it. */
final class ConfigurationPageIT {

    private static final Path PAGE = Path.of("..", "docs", "configuration.md");
    private static final String BEGIN = "<!-- keys: written by ConfigurationPageIT -->\n";
    private static final String END = "<!-- end of keys -->\n";

    @Test
    void thePageListsEveryKeyWithItsDefaultAndRange() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        if (Boolean.getBoolean("counterflow.writeDocs")) {
            Files.writeString(PAGE, page.substring(0, begin) + tables() + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).isEqualTo(tables());
        }
    }

    private static String tables() {
        return table("Job and serving", EnumSet.allOf(Component.class))
                + "\n"
                + table("Job", EnumSet.of(Component.JOB))
                + "\n"
                + table("Serving", EnumSet.of(Component.SERVING));
    }

    private static String table(String heading, Set<Component> readBy) {
        StringBuilder table = new StringBuilder("## " + heading + "\n\n");
        table.append("| key | default | range | what it does |\n|---|---|---|---|\n");
        for (Option<?> option : Options.all()) {
            if (option.readBy().equals(readBy)) {
                table.append(
                        "| `%s` | %s | %s | %s |\n"
                                .formatted(
                                        option.key(),
                                        option.defaultText().isEmpty()
                                                ? "none"
                                                : "`" + option.defaultText() + "`",
                                        option.type().range().text(),
                                        option.description()));
            }
        }
        return table.toString();
    }
}
