package io.counterflow.flink.histories;

import io.counterflow.flink.histories.Checkpoint.Clock;
import io.counterflow.flink.histories.Checkpoint.LoopInput;
import io.counterflow.flink.histories.Checkpoint.Started;
import io.counterflow.flink.histories.Checkpoint.Taken;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a loop must write to its journal, and what it must refuse: the rules of docs/streaming.md.
 * Its input is what reached the loop, one after the other. What the loop learns is not modelled;
 * the replay says whether it fits the journal.
 */
final class LoopModel {

    /** An entry of the journal: the record that the loop took. */
    record Entry(String kind, Sent.Place record) {}

    /** A dead letter. */
    record Refused(Sent.Place record, String rule) {}

    /** What came of a loop. */
    record Outcome(List<Entry> journal, List<Refused> refused) {}

    private final List<Entry> journal = new ArrayList<>();
    private final List<Refused> refused = new ArrayList<>();
    private final List<Sent> waiting = new ArrayList<>(); // for the first spec
    private final Set<String> commands = new HashSet<>();
    private boolean started;
    private long deadlineMs; // of those that wait

    /** The loop with this key group. */
    static Outcome of(List<LoopInput> inputs, String loop, int keyGroup) {
        LoopModel model = new LoopModel();
        long nowMs = 0;
        for (LoopInput input : inputs) {
            if (input instanceof Taken taken && taken.event().loop().equals(loop)) {
                model.take(taken.sent(), nowMs);
            } else if (input instanceof Started begun) {
                nowMs = begun.nowMs();
                model.deadlineMs = nowMs + Job.SPEC_WAIT.toMillis(); // they wait anew
            } else if (input instanceof Clock clock && clock.keyGroups().contains(keyGroup)) {
                nowMs = clock.nowMs();
                if (model.deadlineMs <= nowMs) {
                    model.refuseWaiting();
                }
            }
        }
        return new Outcome(model.journal, model.refused);
    }

    private void take(Sent sent, long nowMs) {
        Meaning meaning = sent.meaning();
        if (started) {
            takeStarted(sent);
        } else if (meaning instanceof Meaning.Spec spec) {
            if (!spec.valid()) {
                refuse(sent, "SPEC");
                return;
            }
            started = true;
            enter("SPEC", sent);
            waiting.forEach(this::takeStarted);
            waiting.clear();
        } else if (meaning instanceof Meaning.Deletion) {
            refuseWaiting();
        } else {
            if (waiting.isEmpty()) {
                deadlineMs = nowMs + Job.SPEC_WAIT.toMillis();
            }
            waiting.add(sent);
        }
    }

    private void takeStarted(Sent sent) {
        Meaning meaning = sent.meaning();
        if (meaning instanceof Meaning.Spec spec && !spec.valid()) {
            refuse(sent, "SPEC");
        } else if (meaning instanceof Meaning.Spec) {
            enter("SPEC", sent);
        } else if (meaning instanceof Meaning.Decision decision && !decision.fits()) {
            refuse(sent, "EXAMPLE");
        } else if (meaning instanceof Meaning.Decision) {
            enter("EXAMPLE", sent);
        } else if (meaning instanceof Meaning.Command command) {
            if (commands.add(command.id())) {
                enter("COMMAND", sent);
            } else {
                refuse(sent, "DUPLICATE");
            }
        } else {
            enter("DELETION", sent);
            started = false;
            commands.clear();
        }
    }

    private void refuseWaiting() {
        waiting.forEach(it -> refuse(it, "UNKNOWN_LOOP"));
        waiting.clear();
    }

    private void enter(String kind, Sent sent) {
        journal.add(new Entry(kind, sent.place()));
    }

    private void refuse(Sent sent, String rule) {
        refused.add(new Refused(sent.place(), rule));
    }
}
