package io.counterflow.flink.loop;

import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopLearner;
import io.counterflow.core.rewardmodel.RewardModelState;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.flink.event.FormerSpecs;
import io.counterflow.flink.state.LoopStateConversion;
import io.counterflow.flink.state.LoopStates;
import io.counterflow.flink.state.RewardModelConversion;
import io.counterflow.schemas.record.LearnedStateRecord;
import io.counterflow.schemas.record.LoopSpecsRecord;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.wire.PackedNumbers;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a loop that most events do not change, and which of them are in state. With many
 * loops, each is written after almost every event; so these parts are left out when they can be.
 * Every example changes the reward model, so it is left out only if there was none.
 */
final class StoredParts {

    private record SpecVersions(long inForce, Optional<Long> waiting, List<Long> former) {

        static SpecVersions of(LearningLoop loop, FormerSpecs former) {
            return new SpecVersions(
                    loop.spec().version(),
                    loop.waitingSpec().map(LoopSpec::version),
                    former.specs().stream().map(LoopSpec::version).toList());
        }
    }

    private @Nullable SpecVersions specs;
    private @Nullable LoopLearner learner;
    private long changes;
    private long received;

    /** Called when the loop has been restored from what is stored. */
    void restored(LearningLoop loop, FormerSpecs former) {
        specs = SpecVersions.of(loop, former);
        learner = loop.learner();
        changes = 0; // a smaller buffer has removed blocks already
        received = learner.received();
    }

    /** Writes the parts that have changed. The key of the loop must be current. */
    void write(LearningLoop loop, FormerSpecs former, LoopStates states) throws IOException {
        SpecVersions now = SpecVersions.of(loop, former);
        if (!now.equals(specs)) {
            states.specs().update(toRecord(loop, former));
            specs = now;
        }
        if (learner != loop.learner() || received != loop.learner().received()) {
            Optional<RewardModelState> rewardModel = loop.learner().rewardModelState();
            if (rewardModel.isPresent()) {
                states.rewardModel().update(RewardModelConversion.toRecord(rewardModel.get()));
            } else if (learner != loop.learner()) {
                states.rewardModel().clear();
            }
            received = loop.learner().received();
        }
        if (learner != loop.learner() || changes != loop.learner().changes()) {
            states.learned().update(toRecord(loop.learner()));
            learner = loop.learner();
            changes = learner.changes();
        }
    }

    private static LoopSpecsRecord toRecord(LearningLoop loop, FormerSpecs former) {
        return new LoopSpecsRecord(
                LoopSpecConversion.toRecord(loop.spec()),
                loop.waitingSpec().map(LoopSpecConversion::toRecord).orElse(null),
                former.specs().stream().map(LoopSpecConversion::toRecord).toList());
    }

    private static LearnedStateRecord toRecord(LoopLearner learner) {
        return new LearnedStateRecord(
                PackedNumbers.pack(learner.parameters()),
                PackedNumbers.pack(learner.squaredGradientSum()),
                LoopStateConversion.toRecords(learner.blocks()));
    }
}
