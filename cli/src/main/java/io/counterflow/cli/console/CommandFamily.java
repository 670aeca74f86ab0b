package io.counterflow.cli.console;

import java.util.List;
import java.util.concurrent.Callable;

/** A command with subcommands, such as {@code experiment table1}. */
public interface CommandFamily {

    /** The subcommands: objects with picocli's {@code @Command} annotation. */
    List<Callable<Integer>> commands();
}
