package io.counterflow.serving.diagnosis;

import static io.counterflow.serving.diagnosis.Format.number;
import static io.counterflow.serving.diagnosis.Format.time;

import io.counterflow.core.spec.RolloutMode;
import java.util.Locale;

/** Diagnoses snapshots and the rollout. */
final class RolloutDiagnosis {

    private RolloutDiagnosis() {}

    static PipelineStage learned(PipelineFacts facts) {
        PipelineFacts.Learning learning = facts.learning();
        PipelineFacts.Served rollout = facts.rollout();
        long wanted = learning.snapshotExamples();
        if (facts.rollout().quarantineReason().isPresent()) {
            return PipelineStage.stalled(
                    PipelineStage.Name.LEARNED,
                    "The loop is quarantined: it %s. It takes no more events, and version %d continues to decide. Delete the loop, or replay its journal with a fixed version of the job. See the log of the job."
                            .formatted(
                                    facts.rollout().quarantineReason().get(),
                                    facts.rollout().activeVersion()));
        }
        if (!facts.counted()) {
            return PipelineStage.notCounted(PipelineStage.Name.LEARNED);
        }
        if (!facts.count(Flow.EXAMPLES).flows()) {
            return PipelineStage.waiting(PipelineStage.Name.LEARNED, "Waits for examples.");
        }
        if (learning.keepsStart()) {
            return PipelineStage.ok(
                    PipelineStage.Name.LEARNED,
                    "The starting policy decides until the learned policy is ahead of it.%s"
                            .formatted(
                                    learning.sinceSnapshot().isPresent()
                                            ? " %s examples so far."
                                                    .formatted(
                                                            number(
                                                                    learning.sinceSnapshot()
                                                                            .getAsLong()))
                                            : ""));
        }
        if (learning.frozenVersion() > learning.newestVersion().orElse(rollout.activeVersion())) {
            return PipelineStage.stalled(
                    PipelineStage.Name.LEARNED,
                    "The job has frozen version %d, but its snapshot has not reached this process, or was refused. See the logs of the job and of this process."
                            .formatted(learning.frozenVersion()));
        }
        if (wanted == 0) {
            return PipelineStage.ok(
                    PipelineStage.Name.LEARNED,
                    "The job publishes a snapshot every %s of event time."
                            .formatted(time(learning.snapshotInterval())));
        }
        if (learning.sinceSnapshot().isEmpty()) {
            return PipelineStage.waiting(PipelineStage.Name.LEARNED, "Waits for examples.");
        }
        long since = learning.sinceSnapshot().getAsLong();
        String progress =
                since <= wanted
                        ? "%s of %s examples for the next snapshot."
                                .formatted(number(since), number(wanted))
                        : "%s examples since the newest snapshot.%s"
                                .formatted(
                                        number(since),
                                        rollout.mode() == RolloutMode.GATED
                                                ? " The next one comes when examples of the older ones have come."
                                                : "");
        return learning.newestVersion().isEmpty()
                ? PipelineStage.waiting(PipelineStage.Name.LEARNED, progress)
                : PipelineStage.ok(PipelineStage.Name.LEARNED, progress);
    }

    static PipelineStage snapshot(PipelineFacts facts) {
        PipelineFacts.Served rollout = facts.rollout();
        if (facts.learning().newestVersion().isEmpty()) {
            return PipelineStage.waiting(PipelineStage.Name.SNAPSHOT, "No snapshot yet.");
        }
        if (rollout.paused()) {
            return PipelineStage.waiting(
                    PipelineStage.Name.SNAPSHOT,
                    "Automatic changes are paused. Resume them, or promote a version.");
        }
        if (rollout.candidate().isEmpty()) {
            return PipelineStage.ok(
                    PipelineStage.Name.SNAPSHOT,
                    "Version %d is the newest. No candidate is waiting."
                            .formatted(facts.learning().newestVersion().getAsLong()));
        }
        long candidate = rollout.candidate().getAsLong();
        if (rollout.mode() == RolloutMode.MANUAL) {
            return rollout.canaryShare() > 0
                    ? PipelineStage.ok(PipelineStage.Name.SNAPSHOT, canary(rollout, candidate))
                    : PipelineStage.waiting(
                            PipelineStage.Name.SNAPSHOT,
                            "Version %d waits for a person to promote it or to give it a share."
                                    .formatted(candidate));
        }
        return PipelineStage.ok(
                PipelineStage.Name.SNAPSHOT,
                rollout.canaryShare() > 0
                        ? canary(rollout, candidate) + " It is promoted when it proves better."
                        : "Version %d is compared on the decisions of version %d. It is promoted when it proves better."
                                .formatted(candidate, rollout.activeVersion()));
    }

    private static String canary(PipelineFacts.Served rollout, long candidate) {
        return String.format(
                Locale.ROOT,
                "Version %d decides %.0f %% of the events as a canary.",
                candidate,
                100 * rollout.canaryShare());
    }

    static PipelineStage served(PipelineFacts facts) {
        PipelineFacts.Served rollout = facts.rollout();
        if (rollout.degradedReason().isPresent()) {
            return PipelineStage.stalled(
                    PipelineStage.Name.SERVED,
                    "Version %d decides, but not as the rollout says: %s."
                            .formatted(rollout.activeVersion(), rollout.degradedReason().get()));
        }
        if (rollout.mode() == RolloutMode.APPRENTICE) {
            return PipelineStage.ok(
                    PipelineStage.Name.SERVED,
                    "The first action of each request is shown, because the loop is an apprentice. Version %d would decide."
                            .formatted(rollout.activeVersion()));
        }
        return rollout.known()
                ? PipelineStage.ok(
                        PipelineStage.Name.SERVED,
                        "Version %d decides.".formatted(rollout.activeVersion()))
                : PipelineStage.waiting(
                        PipelineStage.Name.SERVED,
                        "The starting policy decides. The job has not started this loop yet.");
    }
}
