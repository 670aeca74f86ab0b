package io.counterflow.cli;

import java.util.Arrays;
import java.util.Iterator;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The objectives that {@code train} knows, by their names on the command line. */
enum ObjectiveName {
    IPS_LPR("ips-lpr", true),
    WNLL_LPR("wnll-lpr", true),
    LS_LPR("ls-lpr", true),
    TRUST_LPR("trust-lpr", true),
    IPS_L2("ips-l2", false),
    POEM("poem", false),
    POEM_L2("poem-l2", false),
    BCRM("bcrm", true),
    BCRM_CONVEX("bcrm-convex", true);

    private final String text;
    private final boolean pullsToPrior;

    ObjectiveName(String text, boolean pullsToPrior) {
        this.text = text;
        this.pullsToPrior = pullsToPrior;
    }

    /** Whether its regulariser is about the prior, so that having none would be a pity. */
    boolean pullsToPrior() {
        return pullsToPrior;
    }

    /** Whether it is about a posterior with a variance of its own. */
    boolean isBayesian() {
        return this == BCRM || this == BCRM_CONVEX;
    }

    @Override
    public String toString() {
        return text;
    }

    /** From the name on the command line. */
    static final class Converter implements ITypeConverter<ObjectiveName> {
        @Override
        public ObjectiveName convert(String value) {
            for (ObjectiveName name : values()) {
                if (name.text.equals(value)) {
                    return name;
                }
            }
            throw new TypeConversionException(
                    "must be one of %s, got \"%s\""
                            .formatted(
                                    Arrays.stream(values())
                                            .map(ObjectiveName::toString)
                                            .collect(Collectors.joining(", ")),
                                    value));
        }
    }

    /** The names, for help and completion. */
    static final class Candidates implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(values()).map(ObjectiveName::toString).iterator();
        }
    }
}
