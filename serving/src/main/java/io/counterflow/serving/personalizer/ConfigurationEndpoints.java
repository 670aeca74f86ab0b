package io.counterflow.serving.personalizer;

import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.Setting;
import io.counterflow.serving.auth.Scope;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.loops.SpecEditor;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Calls that show and change a loop's settings, as those of Azure Personalizer. */
public final class ConfigurationEndpoints {

    private static final String SERVICE = LoopOfCall.PREFIX + "/configurations/service";
    private static final String POLICY = LoopOfCall.PREFIX + "/configurations/policy";

    /** What Personalizer called learning settings. */
    private static final List<Setting<?>> LEARNING =
            List.of(
                    LoopSettings.LEARNER,
                    LoopSettings.OBJECTIVE_NAME,
                    LoopSettings.LAMBDA,
                    LoopSettings.LEARNING_RATE,
                    LoopSettings.INVERSE_TEMPERATURE,
                    LoopSettings.EXPLORATION_FLOOR);

    private final LoopOfCall loops;
    private final SpecEditor specs;
    private final ServiceConfiguration configuration;

    /**
     * @param logRetention how long the journal is kept
     */
    public ConfigurationEndpoints(LoopOfCall loops, SpecEditor specs, Duration logRetention) {
        this.loops = loops;
        this.specs = specs;
        this.configuration = new ServiceConfiguration(logRetention);
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get(SERVICE, call -> reply(loops.served(call).newestSpec())),
                Endpoint.put(SERVICE, Scope.ADMIN, this::put),
                Endpoint.get(POLICY, call -> policy(loops.served(call).newestSpec())));
    }

    private Reply reply(LoopSpec spec) {
        return Reply.json(200, json -> configuration.write(spec, json));
    }

    private Future<Reply> put(Call call) {
        return specs.edit(call, loops.of(call), configuration.read(call.body()), this::reply);
    }

    private static Reply policy(LoopSpec spec) {
        String arguments =
                LEARNING.stream()
                        .map(it -> "--" + it.name() + " " + text(spec.get(it)))
                        .collect(Collectors.joining(" "));
        return Reply.json(200, Map.of("name", "counterflow", "arguments", arguments));
    }

    private static String text(Object value) {
        return value instanceof Enum<?> ? Setting.wordOf(value) : value.toString();
    }
}
