package io.counterflow.cli.savepoint;

import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Terminal;
import io.counterflow.core.rollout.Stage;
import io.counterflow.core.text.JsonName;
import io.counterflow.flink.loop.SavedLoop;
import io.counterflow.schemas.record.ExampleBlockRecord;
import io.counterflow.schemas.record.GateStateRecord;
import io.counterflow.schemas.record.LearnedStateRecord;
import io.counterflow.schemas.record.LearnerProgressRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.LoopSpecsRecord;
import io.counterflow.schemas.record.LoopStateRecord;
import io.counterflow.schemas.record.QuarantineRecord;
import io.counterflow.schemas.record.RewardModelStateRecord;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows a loop in a savepoint. */
@Command(
        name = "show",
        description =
                "Show a loop in a savepoint or checkpoint: spec, progress, versions, gate and open"
                        + " windows.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow savepoint show savepoints/savepoint-1a2b3c front-page",
            "  counterflow savepoint show savepoints/savepoint-1a2b3c front-page --json"
        })
final class ShowLoopCommand implements Callable<Integer> {

    @Mixin private final Output output;
    @Mixin private final SavepointArgument savepoint = new SavepointArgument();

    @Parameters(index = "1", paramLabel = "LOOP", description = "Name of the loop.")
    private String name = "";

    ShowLoopCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException {
        SavedLoop loop = savepoint.open(it -> it.read(name));
        FieldReport report =
                new FieldReport()
                        .section("loop")
                        .field("loop", "name", loop.name())
                        .field("status", "status", LoopStatus.of(loop).text());
        loop.problem().ifPresent(it -> report.field("problem", "problem", it));
        loop.quarantine().ifPresent(it -> quarantine(report, it));
        loop.specs().ifPresent(it -> specs(report, it));
        loop.state().ifPresent(it -> state(report, it, loop.learned()));
        loop.rewardModel().ifPresent(it -> rewardModel(report, it));
        rest(report, loop);
        output.print(report);
        return ExitCode.DONE;
    }

    private static void quarantine(FieldReport report, QuarantineRecord quarantine) {
        report.field("quarantineReason", "quarantined because it", quarantine.getReason())
                .field("quarantineSequence", "at entry", quarantine.getSequence());
    }

    private static void specs(FieldReport report, LoopSpecsRecord specs) {
        @Nullable LoopSpecRecord waiting = specs.getWaiting();
        version(report, "specVersion", "spec", specs.getInForce().getVersion());
        version(
                report,
                "waitingSpecVersion",
                "spec of the next generation",
                waiting == null ? null : waiting.getVersion());
    }

    private static void state(
            FieldReport report, LoopStateRecord state, Optional<LearnedStateRecord> learned) {
        report.field("sequence", "entries of the journal", state.getSequence())
                .field(
                        "time",
                        "time",
                        Instant.EPOCH.plus(state.getTimeMicros(), ChronoUnit.MICROS));
        learner(report.section("learner"), state, learned);
        gate(report.section("gate"), state.getGate());
    }

    private static void learner(
            FieldReport report, LoopStateRecord state, Optional<LearnedStateRecord> learned) {
        LearnerProgressRecord progress = state.getProgress();
        version(report, "priorVersion", "prior", progress.getPriorVersion());
        version(report, "latestVersion", "latest version", progress.getLatestVersion());
        report.field("examples", "examples", progress.getReceived())
                .field("learned", "  learned in this generation", progress.getLearned())
                .field("pending", "  pending", progress.getPending())
                .field("buffered", "  in the buffer", buffered(state, learned))
                .field("steps", "steps", progress.getSteps());
    }

    private static void rewardModel(FieldReport report, RewardModelStateRecord model) {
        report.section("reward model")
                .field("rewardModelExamples", "examples", model.getExamples())
                .field("changesFound", "changes found", model.getReplacements());
    }

    private static long buffered(LoopStateRecord state, Optional<LearnedStateRecord> learned) {
        return state.getOpenExamples()
                + learned.map(LearnedStateRecord::getBlocks).orElse(List.of()).stream()
                        .mapToLong(ExampleBlockRecord::getSize)
                        .sum();
    }

    private static void gate(FieldReport report, GateStateRecord gate) {
        report.field("stage", "stage", JsonName.of(Stage.valueOf(gate.getStage())));
        version(report, "activeVersion", "active version", gate.getActiveVersion());
        version(report, "previousVersion", "previous version", gate.getPreviousVersion());
        version(report, "candidateVersion", "candidate", gate.getCandidateVersion());
        report.field("share", gate.getShare())
                .row("share of the candidate", Figures.setting(gate.getShare()))
                .field("paused", gate.getPaused())
                .row("paused", gate.getPaused() ? "yes" : "no")
                .field("closedReason", "closed because", gate.getClosedReason())
                .field("rolloutSequence", "changes", gate.getSequence());
    }

    /** Versions are numbers without separators in the text. */
    private static void version(
            FieldReport report, String field, String label, @Nullable Long version) {
        report.field(field, version).row(label, version == null ? null : version.toString());
    }

    private static void rest(FieldReport report, SavedLoop loop) {
        report.section("kept")
                .field("versions", loop.versions())
                .row("versions", listed(loop.versions()))
                .field("openPanes", "panes of open windows", loop.paneStartsMs().size())
                .field("firstPaneStart", "  from", first(loop.paneStartsMs()))
                .field("nextWindowEnd", "  next window ends", instant(loop.nextWindowEndMs()))
                .field("waitingEvents", "events without spec", loop.waitingEvents());
    }

    private static @Nullable String listed(List<Long> versions) {
        return versions.isEmpty()
                ? null
                : versions.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private static @Nullable Instant first(List<Long> timesMs) {
        return timesMs.isEmpty() ? null : Instant.ofEpochMilli(timesMs.get(0));
    }

    private static @Nullable Instant instant(OptionalLong timeMs) {
        return timeMs.isPresent() ? Instant.ofEpochMilli(timeMs.getAsLong()) : null;
    }
}
