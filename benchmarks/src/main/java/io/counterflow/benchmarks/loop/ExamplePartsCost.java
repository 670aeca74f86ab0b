package io.counterflow.benchmarks.loop;

import io.counterflow.benchmarks.streaming.Cost;
import io.counterflow.benchmarks.streaming.TrafficShape;
import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.loop.Candidate;
import io.counterflow.core.loop.InMemoryStorage;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopLearner;
import io.counterflow.core.loop.LoopLimits;
import io.counterflow.core.loop.LoopOutput;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.loop.LoopOperatorConfig;
import io.counterflow.flink.state.StoredExamples;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.StoredExampleRecord;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Measures the cost of each part of the loop operator. Prints a JSON object for each part, with CPU
 * time and heap bytes per example.
 */
public final class ExamplePartsCost {

    private static final int EXAMPLES = 1_000;
    private static final int PASSES = 30;
    private static final int BUFFER = 10_000;
    private static final int SNAPSHOT_EXAMPLES = 10_000; // the schema's default

    private static final LoopOutput NOBODY =
            new LoopOutput() {
                @Override
                public void frozen(Candidate candidate) {}

                @Override
                public void changed(RolloutChange change) {}
            };

    private final TrafficShape shape;
    private final LoopSpec spec;
    private final FeatureAssembly assembly;
    private final List<LoopEvent> events;
    private final List<ImpressionRecord> records;
    private final List<Impression> impressions;
    private final List<LoggedExample> examples;
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
    private final WireCodec<ImpressionRecord> codec = WireCodec.of(ImpressionRecord.class);
    private long seen; // so that the compiler cannot remove the work

    private ExamplePartsCost(TrafficShape shape) throws Exception {
        this.shape = shape;
        ExampleEvents made = new ExampleEvents(shape);
        spec = made.spec(BUFFER);
        assembly = spec.assembly();
        events = IntStream.range(0, EXAMPLES).mapToObj(made::example).toList();
        records = new ArrayList<>();
        impressions = new ArrayList<>();
        examples = new ArrayList<>();
        for (LoopEvent event : events) {
            ImpressionRecord record = decode(event);
            Impression impression = impression(record, event);
            records.add(record);
            impressions.add(impression);
            examples.add(impression.toExample(assembly, List.of()));
        }
    }

    public static void main(String[] args) throws Exception {
        for (TrafficShape shape : TrafficShape.values()) {
            new ExamplePartsCost(shape).run();
        }
    }

    private ImpressionRecord decode(LoopEvent event) throws Exception {
        return codec.decode(Objects.requireNonNull(event.raw().value()));
    }

    private Impression impression(ImpressionRecord record, LoopEvent event) {
        return conversion
                .fromRecord(record)
                .withReward(Objects.requireNonNull(event.outcome()).reward());
    }

    private void run() throws Exception {
        part("decode the record", i -> seen += decode(events.get(i)).getAction());
        part(
                "convert to an impression",
                i -> seen += impression(records.get(i), events.get(i)).policyVersion());
        part(
                "encode features",
                i -> seen += impressions.get(i).toExample(assembly, List.of()).action());
        WireCodec<StoredExampleRecord> stored = WireCodec.of(StoredExampleRecord.class);
        part(
                "make bytes for the buffer",
                i -> seen += stored.encode(StoredExamples.toRecord(examples.get(i))).length);
        learning();
    }

    private void learning() throws Exception {
        LoopLimits limits = LoopOperatorConfig.defaults().limits();
        LoopLearner learner = LoopLearner.start(spec, limits.bufferBytes(), new InMemoryStorage());
        part("learn", i -> learner.learn(examples.get(i), i));
        Cost freeze = Cost.best(5, 1, i -> seen += learner.freeze(true).version());
        print("freeze, by the examples of a snapshot", freeze.dividedBy(SNAPSHOT_EXAMPLES));
        LearningLoop loop = LearningLoop.start(spec, limits, new InMemoryStorage(), NOBODY);
        part("compare and learn", i -> seen += loop.take(examples.get(i), i, NOBODY).loggedBy());
    }

    private void part(String name, Cost.Work work) throws Exception {
        print(name, Cost.best(PASSES, EXAMPLES, work));
    }

    private void print(String name, Cost cost) {
        System.out.printf(
                Locale.ROOT,
                "{\"shape\":\"%s\",\"part\":\"%s\",\"threadNsPerExample\":%.0f,"
                        + "\"bytesPerExample\":%.0f,\"seen\":%d}%n",
                shape,
                name,
                cost.threadNs(),
                cost.bytes(),
                seen & 1);
    }
}
