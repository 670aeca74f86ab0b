package io.counterflow.core.spec;

/** What the documentation states about changes of settings, for tests of pages. */
public final class ChangeWords {

    private ChangeWords() {}

    public static String of(Setting<?> setting) {
        return setting.change().words();
    }
}
