package io.counterflow.e2e.deployment;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The rules for the compose file. Each violation is a complaint. */
final class ComposeRules {

    /** {@code ${NAME:-default}}. */
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+):-([^}]*)}");

    private final Map<String, Object> services;
    private final Set<String> volumes;
    private final List<String> complaints = new ArrayList<>();

    private ComposeRules(Map<String, Object> compose) {
        this.services = map(compose.get("services"));
        this.volumes = map(compose.get("volumes")).keySet();
    }

    static Map<String, Object> load(String yaml) {
        return map(new Yaml(new SafeConstructor(new LoaderOptions())).load(yaml));
    }

    static List<String> complaints(String yaml) throws java.io.IOException {
        ComposeRules rules = new ComposeRules(load(yaml));
        for (Map.Entry<String, Object> service : rules.services.entrySet()) {
            rules.look(service.getKey(), map(service.getValue()));
        }
        return rules.complaints;
    }

    private void look(String name, Map<String, Object> service) throws java.io.IOException {
        String image = resolve(String.valueOf(service.get("image")));
        require(Project.isPinned(image), name, "image must have a tag, got " + image);
        require(Boolean.TRUE.equals(service.get("read_only")), name, "must be read_only");
        require(list(service.get("cap_drop")).equals(List.of("ALL")), name, "must drop ALL");
        require(
                list(service.get("security_opt")).contains("no-new-privileges:true"),
                name,
                "must gain no privileges");
        require(service.containsKey("mem_limit"), name, "must have a mem_limit");
        for (String port : list(service.get("ports"))) {
            require(port.startsWith("127.0.0.1:"), name, "port must be on loopback, got " + port);
        }
        list(service.get("volumes")).forEach(volume -> volume(name, volume));
        map(service.get("depends_on")).forEach((on, how) -> depends(name, on, map(how)));
        if (service.containsKey("build")) {
            build(name, map(service.get("build")));
        }
        command(name, service);
    }

    private void volume(String name, String volume) {
        String source = volume.substring(0, volume.indexOf(':'));
        if (source.startsWith("./")) {
            require(
                    Files.exists(Project.DOCKER.resolve(source).normalize()),
                    name,
                    source + " is not there");
            require(volume.endsWith(":ro"), name, source + " must be mounted read-only");
        } else {
            require(volumes.contains(source), name, "volume %s is not declared".formatted(source));
        }
    }

    private void depends(String name, String on, Map<String, Object> how) {
        Map<String, Object> other = map(services.get(on));
        require(!other.isEmpty(), name, "depends on " + on + ", which is no service");
        require(
                !"service_healthy".equals(how.get("condition"))
                        || map(other.get("healthcheck")).containsKey("test"),
                name,
                "waits for the health of %s, which has no check".formatted(on));
    }

    private void build(String name, Map<String, Object> build) throws java.io.IOException {
        String file = String.valueOf(build.get("dockerfile"));
        Map<String, String> declared = DockerfileRules.defaults(Project.read(file));
        map(build.get("args"))
                .forEach(
                        (arg, value) ->
                                require(
                                        resolve(String.valueOf(value)).equals(declared.get(arg)),
                                        name,
                                        "%s must be %s as in %s, got %s"
                                                .formatted(arg, declared.get(arg), file, value)));
    }

    private void command(String name, Map<String, Object> service) {
        List<String> command = list(service.get("command"));
        int main = command.indexOf("--job-classname");
        if (main >= 0) {
            String type = command.get(main + 1);
            require(Project.isMain(type), name, type + " is not a class with a main method");
        }
        int config = command.indexOf("--config");
        if (config >= 0) {
            String file = command.get(config + 1);
            require(
                    list(service.get("volumes")).stream().anyMatch(it -> it.contains(":" + file)),
                    name,
                    file + " is not mounted");
        }
    }

    private void require(boolean holds, String service, String complaint) {
        if (!holds) {
            complaints.add(service + ": " + complaint);
        }
    }

    /** Replaces variables by their defaults. */
    static String resolve(String text) {
        Matcher variable = VARIABLE.matcher(text);
        return variable.matches() ? variable.group(2) : text;
    }

    @SuppressWarnings("unchecked") // SnakeYAML returns raw maps
    static Map<String, Object> map(@org.jspecify.annotations.Nullable Object value) {
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    static List<String> list(@org.jspecify.annotations.Nullable Object value) {
        return value instanceof List<?> items
                ? items.stream().map(Objects::toString).toList()
                : List.of();
    }
}
