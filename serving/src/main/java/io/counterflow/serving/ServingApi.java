package io.counterflow.serving;

import io.counterflow.client.kafka.ImpressionLog;
import io.counterflow.client.kafka.RecordProducer;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.dashboard.DashboardFileEndpoint;
import io.counterflow.serving.dashboard.DashboardPageEndpoint;
import io.counterflow.serving.http.DocumentEndpoint;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.RequestWorkers;
import io.counterflow.serving.loops.GetLoopEndpoint;
import io.counterflow.serving.loops.ListLoopsEndpoint;
import io.counterflow.serving.loops.PutLoopEndpoint;
import io.counterflow.serving.loops.SpecArrival;
import io.counterflow.serving.personalizer.PersonalizerActivateEndpoint;
import io.counterflow.serving.personalizer.PersonalizerRankEndpoint;
import io.counterflow.serving.personalizer.PersonalizerRewardEndpoint;
import io.counterflow.serving.pipeline.LoopPipelines;
import io.counterflow.serving.pipeline.PipelineEndpoint;
import io.counterflow.serving.policies.GetPolicyEndpoint;
import io.counterflow.serving.policies.ListPoliciesEndpoint;
import io.counterflow.serving.rank.RankEndpoint;
import io.counterflow.serving.rank.RankMetrics;
import io.counterflow.serving.rank.RankService;
import io.counterflow.serving.reward.ActivateEndpoint;
import io.counterflow.serving.reward.FeedbackLog;
import io.counterflow.serving.reward.FeedbackService;
import io.counterflow.serving.reward.RewardEndpoint;
import io.counterflow.serving.rollout.RolloutEndpoint;
import io.counterflow.serving.stats.StatsEndpoint;
import io.counterflow.serving.stats.StreamEndpoint;
import io.counterflow.serving.stats.Truth;
import io.counterflow.serving.stats.WindowStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/** All calls of the API, wired. */
final class ServingApi {

    private final List<Endpoint> endpoints = new ArrayList<>();
    private final StreamEndpoint streams;

    /** Where each kind of record is written. */
    record Logs(RecordProducer impressions, RecordProducer rewards, RecordProducer control) {}

    ServingApi(
            Vertx vertx,
            RequestWorkers workers,
            ServingConfig config,
            PolicyStore policies,
            WindowStore windows,
            LoopPipelines pipelines,
            Truth truth,
            Logs logs,
            MeterRegistry metrics,
            Clock clock) {
        RankService ranks =
                new RankService(
                        workers,
                        policies,
                        new ImpressionLog(
                                logs.impressions(),
                                config.maxImpressionBytes(),
                                pipelines.flows()::decided),
                        new RankMetrics(metrics),
                        clock);
        FeedbackService feedback =
                new FeedbackService(
                        policies,
                        new FeedbackLog(logs.rewards(), pipelines.flows()::rewarded),
                        clock);
        endpoints.add(new RankEndpoint(ranks));
        endpoints.add(new RewardEndpoint(feedback));
        endpoints.add(new ActivateEndpoint(feedback));
        endpoints.add(new ListLoopsEndpoint(policies));
        endpoints.add(new GetLoopEndpoint(policies));
        endpoints.add(
                new PutLoopEndpoint(
                        policies, logs.control(), new SpecArrival(vertx, policies), clock));
        endpoints.add(new ListPoliciesEndpoint(policies));
        endpoints.add(new GetPolicyEndpoint(policies));
        endpoints.add(new RolloutEndpoint(policies, logs.control(), clock));
        endpoints.add(new StatsEndpoint(policies, windows, truth));
        streams = new StreamEndpoint(vertx, policies, windows, pipelines);
        endpoints.add(streams);
        endpoints.add(new PipelineEndpoint(policies, pipelines));
        endpoints.add(new DashboardPageEndpoint());
        endpoints.add(new DashboardFileEndpoint());
        endpoints.add(
                new DocumentEndpoint(
                        "/openapi.yaml",
                        "application/yaml",
                        "/io/counterflow/serving/openapi.yaml"));
        config.personalizerLoop()
                .ifPresent(
                        loop -> {
                            endpoints.add(new PersonalizerRankEndpoint(ranks, loop));
                            endpoints.add(new PersonalizerRewardEndpoint(feedback, loop));
                            endpoints.add(new PersonalizerActivateEndpoint(feedback, loop));
                        });
    }

    /** Ends what would otherwise go on for ever. */
    void endStreams() {
        streams.endAll();
    }

    List<Endpoint> endpoints() {
        return List.copyOf(endpoints);
    }
}
