package io.counterflow.cli.console;

import java.util.List;
import java.util.concurrent.Callable;

/** A command that is a name for several others, such as {@code experiment table1}. */
public interface CommandFamily {

    /** Its commands: objects annotated with picocli's {@code @Command}. */
    List<Callable<Integer>> commands();
}
