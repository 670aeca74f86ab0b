package io.counterflow.serving.config;

import io.counterflow.client.kafka.ProducerSettings;
import io.counterflow.client.policies.PolicyLimits;
import io.counterflow.client.policies.SnapshotDirectory;
import io.counterflow.core.numeric.Require;
import io.counterflow.schemas.config.ConfigValues;
import io.counterflow.schemas.config.Option;
import io.counterflow.schemas.config.Options;
import io.counterflow.serving.http.ClientLimits;
import io.counterflow.serving.http.HttpLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Builds the configuration of the serving process from the values of its options. */
final class ServingConfigReader {

    private final ConfigValues values;

    ServingConfigReader(ConfigValues values) {
        this.values = values;
    }

    ServingConfig read() {
        ServingConfig.Address api =
                new ServingConfig.Address(host(Options.HOST), get(Options.PORT));
        return new ServingConfig(
                get(Options.SERVING_NAME),
                get(Options.JOB_NAME),
                values.kafka(),
                values.topics(),
                values.topicSettings(),
                get(Options.CREATE_TOPICS),
                api,
                new ServingConfig.Address(
                        host(Options.MANAGEMENT_HOST), get(Options.MANAGEMENT_PORT)),
                threads(),
                limits(),
                new ClientLimits(get(Options.MAX_STREAMS), get(Options.MAX_STREAMS_PER_CLIENT)),
                ServingConfig.Access.of(
                        get(Options.AUTH),
                        values.find(Options.TOKENS_FILE).map(Path::of),
                        api,
                        values.find(Options.ALLOWED_HOSTS)
                                .map(names -> List.of(names.split("\\s*,\\s*")))
                                .orElse(List.of())),
                tls(),
                new ProducerSettings(
                        get(Options.IMPRESSION_TIMEOUT), get(Options.IMPRESSION_BUFFER)),
                new ProducerSettings(get(Options.REWARD_TIMEOUT), get(Options.REWARD_BUFFER)),
                get(Options.MAX_READ_SIZE),
                new PolicyLimits(get(Options.MAX_SERVED_LOOP), get(Options.MAX_POLICIES)),
                SnapshotDirectory.of(get(Options.STORAGE_DIRECTORY)),
                get(Options.HEARTBEAT_INTERVAL),
                values.find(Options.PERSONALIZER_LOOP),
                get(Options.STOP_TIMEOUT));
    }

    private String host(Option<String> option) {
        return values.find(option)
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        option.key() + " must be given, got none"));
    }

    private HttpLimits limits() {
        int connections = get(Options.MAX_CONNECTIONS);
        int perClient = get(Options.MAX_CONNECTIONS_PER_CLIENT);
        return new HttpLimits(
                get(Options.MAX_BODY_SIZE),
                get(Options.LARGE_BODIES_SIZE),
                get(Options.REQUESTS_PER_SECOND),
                get(Options.MAX_REQUESTS),
                new ClientLimits(
                        connections, perClient == 0 ? Math.max(1, connections / 2) : perClient),
                get(Options.HEAD_TIMEOUT),
                get(Options.CONNECTION_IDLE_TIMEOUT),
                get(Options.BODY_TIMEOUT));
    }

    private int threads() {
        int threads = get(Options.THREADS);
        return threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    }

    private Optional<ServingConfig.Tls> tls() {
        Optional<Path> certificate = values.find(Options.TLS_CERTIFICATE).map(Path::of);
        Optional<Path> key = values.find(Options.TLS_KEY).map(Path::of);
        Require.that(
                certificate.isPresent() == key.isPresent(),
                "serving.tls.certificate-file and serving.tls.key-file must be given together");
        return certificate.map(chain -> new ServingConfig.Tls(chain, key.orElseThrow()));
    }

    private <T> T get(Option<T> option) {
        return values.get(option);
    }
}
