package io.counterflow.serving;

import io.counterflow.client.kafka.ImpressionLog;
import io.counterflow.client.kafka.RecordProducer;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.dashboard.DashboardEndpoints;
import io.counterflow.serving.events.EventEndpoint;
import io.counterflow.serving.events.RecentDecisions;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.RequestWorkers;
import io.counterflow.serving.loops.DeleteLoopEndpoint;
import io.counterflow.serving.loops.LoopEndpoints;
import io.counterflow.serving.loops.PutLoopEndpoint;
import io.counterflow.serving.loops.SpecEditor;
import io.counterflow.serving.loops.SpecLog;
import io.counterflow.serving.overview.LoopOverview;
import io.counterflow.serving.overview.OverviewEndpoint;
import io.counterflow.serving.personalizer.ConfigurationEndpoints;
import io.counterflow.serving.personalizer.LoopOfCall;
import io.counterflow.serving.personalizer.ModelEndpoints;
import io.counterflow.serving.personalizer.MultiSlotEndpoints;
import io.counterflow.serving.personalizer.PersonalizerEndpoints;
import io.counterflow.serving.pipeline.LoopPipelines;
import io.counterflow.serving.pipeline.PipelineEndpoint;
import io.counterflow.serving.policies.PolicyEndpoints;
import io.counterflow.serving.rank.RankEndpoints;
import io.counterflow.serving.rank.RankMetrics;
import io.counterflow.serving.rank.RankService;
import io.counterflow.serving.reward.FeedbackEndpoints;
import io.counterflow.serving.reward.FeedbackService;
import io.counterflow.serving.rollout.RolloutEndpoint;
import io.counterflow.serving.schemas.SchemaEndpoints;
import io.counterflow.serving.stats.StatsEndpoint;
import io.counterflow.serving.stats.StreamEndpoint;
import io.counterflow.serving.stats.Truth;
import io.counterflow.serving.stats.WindowStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/** All endpoints of the API. */
final class ServingApi {

    private final List<Endpoint> endpoints = new ArrayList<>();
    private final StreamEndpoint streams;

    /** The producers of each kind of record. */
    record Logs(
            RecordProducer impressions,
            RecordProducer rewards,
            RecordProducer control,
            SpecLog specs) {}

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
        policies.onRemoval(windows::forget);
        policies.onRemoval(pipelines::forget);
        RecentDecisions decisions = new RecentDecisions(logs.impressions());
        ImpressionLog impressions =
                new ImpressionLog(
                        decisions, config.maxImpressionBytes(), pipelines.flows()::decided);
        RankMetrics rankMetrics =
                new RankMetrics(metrics, impressions, pipelines.flows()::unlogged);
        RankService ranks = new RankService(workers, policies, impressions, rankMetrics, clock);
        FeedbackService feedback =
                new FeedbackService(policies, logs.rewards(), pipelines.flows()::rewarded, clock);
        endpoints.addAll(new RankEndpoints(ranks).endpoints());
        endpoints.addAll(new FeedbackEndpoints(feedback).endpoints());
        endpoints.add(new EventEndpoint(workers, policies, decisions).endpoint());
        endpoints.addAll(new LoopEndpoints(policies).endpoints());
        endpoints.add(new PutLoopEndpoint(policies, logs.specs(), clock).endpoint());
        endpoints.add(new DeleteLoopEndpoint(policies, logs.specs()).endpoint());
        endpoints.addAll(new PolicyEndpoints(policies).endpoints());
        endpoints.add(new RolloutEndpoint(policies, logs.control(), clock).endpoint());
        endpoints.add(new StatsEndpoint(policies, windows, truth).endpoint());
        streams = new StreamEndpoint(vertx, policies, windows, pipelines, config.streams());
        endpoints.add(streams.endpoint());
        endpoints.add(new PipelineEndpoint(policies, pipelines).endpoint());
        LoopOverview overview = new LoopOverview(vertx, policies, pipelines, windows);
        endpoints.add(
                new OverviewEndpoint(workers, overview, pipelines, rankMetrics::times).endpoint());
        endpoints.addAll(DashboardEndpoints.endpoints());
        Reply description = Reply.resource(ServingApi.class, "openapi.yaml", "application/yaml");
        endpoints.add(Endpoint.open("/openapi.yaml", call -> description));
        endpoints.addAll(SchemaEndpoints.endpoints(config.topics()));
        LoopOfCall loops = new LoopOfCall(policies, config.personalizerLoop());
        endpoints.addAll(new PersonalizerEndpoints(ranks, feedback, loops).endpoints());
        endpoints.addAll(
                new MultiSlotEndpoints(ranks, feedback, decisions, workers, loops).endpoints());
        endpoints.addAll(
                new ConfigurationEndpoints(
                                loops,
                                new SpecEditor(policies, logs.specs(), clock),
                                config.topicSettings().logRetention())
                        .endpoints());
        endpoints.addAll(new ModelEndpoints(loops, workers).endpoints());
    }

    /** Ends the open streams, because their tokens may be revoked. Their readers come back. */
    void endOpenStreams() {
        streams.endOpen();
    }

    /** Ends the streams, which have no end of their own. */
    void endStreams() {
        streams.endAll();
    }

    List<Endpoint> endpoints() {
        return List.copyOf(endpoints);
    }
}
