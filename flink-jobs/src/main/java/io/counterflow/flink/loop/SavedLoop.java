package io.counterflow.flink.loop;

import io.counterflow.schemas.record.LearnedStateRecord;
import io.counterflow.schemas.record.LoopSpecsRecord;
import io.counterflow.schemas.record.LoopStateRecord;
import io.counterflow.schemas.record.QuarantineRecord;
import io.counterflow.schemas.record.RewardModelStateRecord;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A loop in a savepoint.
 *
 * @param state its state; empty if it has no spec yet or if the state cannot be read
 * @param specs its specs; empty as for the state
 * @param learned what its learner has learned; empty as for the state
 * @param rewardModel its reward model; empty as for the state, or without one
 * @param quarantine why the loop takes no events; empty if it does
 * @param versions the versions whose parameters are kept, lowest first
 * @param waitingEvents number of events that wait for the first spec of the loop
 * @param paneStartsMs starts of the panes of its open windows, earliest first
 * @param nextWindowEndMs when the next window ends; empty if no window is open
 * @param problem why some of this cannot be read; empty if all of it can
 */
public record SavedLoop(
        String name,
        Optional<LoopStateRecord> state,
        Optional<LoopSpecsRecord> specs,
        Optional<LearnedStateRecord> learned,
        Optional<RewardModelStateRecord> rewardModel,
        Optional<QuarantineRecord> quarantine,
        List<Long> versions,
        int waitingEvents,
        List<Long> paneStartsMs,
        OptionalLong nextWindowEndMs,
        Optional<String> problem) {

    public SavedLoop {
        versions = List.copyOf(versions);
        paneStartsMs = List.copyOf(paneStartsMs);
    }
}
