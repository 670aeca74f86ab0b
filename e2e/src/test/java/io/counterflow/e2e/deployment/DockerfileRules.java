package io.counterflow.e2e.deployment;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rules for Dockerfiles. Each violation is a complaint. */
final class DockerfileRules {

    private static final Pattern FROM = Pattern.compile("(\\S+)(?: AS (\\S+))?");
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{(\\w+)}");
    private static final Pattern NUMBERS = Pattern.compile("([1-9]\\d*):([1-9]\\d*)");
    private static final Pattern SECRET = Pattern.compile("(?i).*(password|secret|token|key)=.*");

    private final String projectVersion;
    private final List<String> complaints = new ArrayList<>();
    private final Map<String, String> args = new HashMap<>();
    private final Map<String, String> users = new HashMap<>(); // of each stage
    private String stage = "";
    private String user = "root";

    private DockerfileRules(String projectVersion) {
        this.projectVersion = projectVersion;
    }

    static List<String> complaints(String dockerfile, String projectVersion) {
        DockerfileRules rules = new DockerfileRules(projectVersion);
        if (dockerfile.contains("# syntax=")) {
            rules.complaints.add("a syntax line wants an image to be pulled");
        }
        for (String instruction : instructions(dockerfile)) {
            int space = instruction.indexOf(' ');
            rules.take(instruction.substring(0, space), instruction.substring(space + 1).strip());
        }
        if (!NUMBERS.matcher(rules.user).matches()) {
            rules.complaints.add("USER must be uid:gid of nobody special, got " + rules.user);
        }
        return rules.complaints;
    }

    /** Defaults of the arguments before the first image. */
    static Map<String, String> defaults(String dockerfile) {
        Map<String, String> defaults = new HashMap<>();
        for (String instruction : instructions(dockerfile)) {
            if (instruction.startsWith("FROM ")) {
                break;
            }
            String[] parts = instruction.substring("ARG ".length()).split("=", 2);
            defaults.put(parts[0], parts[1]);
        }
        return defaults;
    }

    private static List<String> instructions(String dockerfile) {
        String joined =
                dockerfile.replaceAll("(?m)^#.*\n", "").replaceAll("\\\\\n\\s*", " ").strip();
        return Arrays.stream(joined.split("\n", -1)).filter(line -> !line.isBlank()).toList();
    }

    private void take(String word, String rest) {
        switch (word.toUpperCase(Locale.ROOT)) {
            case "ARG" -> argument(rest);
            case "FROM" -> from(rest);
            case "COPY" -> copy(rest);
            case "USER" -> {
                user = rest;
                users.put(stage, rest);
            }
            case "ENTRYPOINT", "CMD" -> requireExec(word, rest);
            case "HEALTHCHECK" -> {
                if (!rest.equals("NONE")) {
                    requireExec(word, rest.replaceFirst(".* CMD ", ""));
                }
            }
            case "ENV" -> requireNoSecret(rest);
            case "LABEL", "RUN", "WORKDIR", "EXPOSE" -> {}
            default -> complaints.add("unknown instruction " + word);
        }
        if (word.equals("ENTRYPOINT") && rest.startsWith("[\"java\"")) {
            String[] parts = rest.split("\"", -1);
            String main = parts[parts.length - 2];
            if (!Project.isMain(main)) {
                complaints.add(main + " is not a class with a main method");
            }
        }
    }

    private void argument(String rest) {
        requireNoSecret(rest);
        String[] parts = rest.split("=", 2);
        args.put(parts[0], parts.length == 2 ? parts[1] : "");
        if (parts[0].equals("VERSION") && !projectVersion.equals(args.get("VERSION"))) {
            complaints.add("VERSION must be " + projectVersion + ", got " + args.get("VERSION"));
        }
    }

    private void requireNoSecret(String rest) {
        if (SECRET.matcher(rest).matches()) {
            complaints.add("an image must have no secrets, got " + rest);
        }
    }

    private void from(String rest) {
        Matcher from = FROM.matcher(rest);
        if (!from.matches()) {
            complaints.add("FROM cannot be read: " + rest);
            return;
        }
        Matcher reference = REFERENCE.matcher(from.group(1));
        if (reference.matches()) {
            String image = args.getOrDefault(reference.group(1), "");
            if (!Project.isPinned(image) && !users.containsKey(image)) {
                complaints.add("%s must have a tag, got \"%s\"".formatted(rest, image));
            }
        } else if (!from.group(1).equals("scratch") && !users.containsKey(from.group(1))) {
            complaints.add("every base image must be an ARG, got " + from.group(1));
        }
        stage = from.group(2) == null ? "" : from.group(2);
        user = users.getOrDefault(from.group(1), "root"); // a stage inherits it from its base
        users.put(stage, user);
    }

    /** Copied files must exist after the build. Build stages copy sources. */
    private void copy(String rest) {
        if (stage.equals("maven")) {
            return;
        }
        List<String> words =
                Arrays.stream(rest.split("\\s+", -1)).filter(it -> !it.startsWith("--")).toList();
        for (String source : words.subList(0, words.size() - 1)) {
            Path file = Project.ROOT.resolve(source.replace("${VERSION}", projectVersion));
            if (!Files.exists(file)) {
                complaints.add(source + " is not there after the build");
            }
        }
    }

    private void requireExec(String word, String rest) {
        if (!rest.startsWith("[\"")) {
            complaints.add(word + " must be a list, or a shell takes the signals, got " + rest);
        }
    }
}
