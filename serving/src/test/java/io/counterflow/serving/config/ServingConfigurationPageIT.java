package io.counterflow.serving.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** With {@code -Dcounterflow.writeDocs=true} the page is written anew instead of compared. */
final class ServingConfigurationPageIT {

    private static final Path PAGE = Path.of("..", "docs", "configuration.md");
    private static final String BEGIN =
            "<!-- keys of serving: written by ServingConfigurationPageIT -->\n";
    private static final String END = "<!-- end of serving's keys -->\n";

    @Test
    void thePageListsEveryKeyWithItsDefault() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        if (Boolean.getBoolean("counterflow.writeDocs")) {
            Files.writeString(PAGE, page.substring(0, begin) + table() + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).isEqualTo(table());
        }
    }

    private static String table() {
        StringBuilder table =
                new StringBuilder("| key | default | what it does |\n|---|---|---|\n");
        for (Option<?> option : ServingOptions.all()) {
            table.append(
                    "| `%s` | %s | %s |\n"
                            .formatted(
                                    option.key(),
                                    option.defaultText().isEmpty()
                                            ? "none"
                                            : "`" + option.defaultText() + "`",
                                    option.description()));
        }
        return table.toString();
    }
}
