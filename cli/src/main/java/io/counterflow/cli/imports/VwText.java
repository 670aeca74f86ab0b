package io.counterflow.cli.imports;

import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.log.TextLines;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Vowpal Wabbit's text format of contextual bandits with features of actions: a line per action,
 * after an optional line {@code shared}, and an empty line after each decision. The chosen action
 * has a label {@code action:cost:probability}. The reward is minus the cost.
 */
final class VwText implements ForeignLog {

    private final String loop;
    private final RewardMapping rewards;
    private final JsonLimits limits = JsonLimits.defaults();

    VwText(String loop, RewardMapping rewards) {
        this.loop = loop;
        this.rewards = rewards;
    }

    @Override
    public void read(TextLines lines, String source, Intake intake) throws IOException {
        boolean more = true;
        while (more) {
            Example example = new Example();
            more = readExample(lines, example);
            if (example.first > 0) {
                intake.take(
                        example.first, () -> parse(example, source + "-" + example.first, intake));
            }
        }
    }

    /** The lines of one decision. After a limit or an invalid line, the others are not kept. */
    private static final class Example {
        private final List<String> lines = new ArrayList<>();
        private long first;
        private long bytes;
        private Optional<RejectedRecordException> refused = Optional.empty();
    }

    /** Reads to the next empty line; false at the end of the file. */
    private boolean readExample(TextLines lines, Example example) throws IOException {
        while (lines.advance()) {
            if (lines.isBlank()) {
                return true;
            }
            example.first = example.first == 0 ? lines.number() : example.first;
            if (example.refused.isEmpty()) {
                example.refused = add(lines, example);
            }
        }
        return false;
    }

    private Optional<RejectedRecordException> add(TextLines lines, Example example) {
        try {
            example.bytes += lines.length();
            LineLog.requireComplete(lines);
            if (example.bytes > TextLines.MAX_LINE_BYTES
                    || example.lines.size() > limits.maxActions()) {
                throw new RejectedRecordException(
                        Rejection.TOO_LARGE,
                        "a decision must not have more than %d bytes and %d actions"
                                .formatted(TextLines.MAX_LINE_BYTES, limits.maxActions()));
            }
            example.lines.add(lines.text());
            return Optional.empty();
        } catch (RejectedRecordException e) {
            return Optional.of(e);
        } catch (IllegalArgumentException e) {
            return Optional.of(
                    new RejectedRecordException(
                            Rejection.MALFORMED, String.valueOf(e.getMessage())));
        }
    }

    private Impression parse(Example example, String eventId, Intake intake) {
        if (example.refused.isPresent()) {
            throw example.refused.get();
        }
        VwLine.Budget budget = new VwLine.Budget(limits);
        List<VwLine> lines = new ArrayList<>();
        for (String line : example.lines) {
            lines.add(VwLine.parse(line, budget));
        }
        NamedFeatures shared = NamedFeatures.none();
        if (lines.get(0).isShared()) {
            shared = lines.remove(0).features();
        }
        List<String> ids = ActionIds.of(lines.stream().map(VwLine::tag).toList(), intake);
        List<NamedAction> actions = new ArrayList<>();
        int chosen = -1;
        for (int a = 0; a < lines.size(); a++) {
            VwLine line = lines.get(a);
            if (line.isShared()) {
                throw new RejectedRecordException(
                        Rejection.MALFORMED, "shared must be the first line of a decision");
            }
            if (!line.labels().isEmpty()) {
                if (chosen >= 0) {
                    throw new RejectedRecordException(
                            Rejection.ACTION, "one action must have a label, got several");
                }
                chosen = a;
            }
            actions.add(new NamedAction(ids.get(a), line.features()));
        }
        if (chosen < 0) {
            throw new RejectedRecordException(
                    Rejection.NO_LABEL, "no action has a label action:cost:probability");
        }
        List<VwLine.Label> labels = lines.get(chosen).labels();
        if (labels.size() > 1) {
            throw new RejectedRecordException(
                    Rejection.ACTION, "an action must have one label, got several");
        }
        VwLine.Label label = labels.get(0);
        return Decisions.of(
                eventId,
                loop,
                0,
                Instant.EPOCH,
                new Context.Named(shared, actions),
                new Choice(
                        chosen,
                        OptionalDouble.of(label.requirePropensity()),
                        PropensityKind.EXACT,
                        List.of(),
                        AllowedActions.ALL),
                rewards.ofCost(label.requireCost()));
    }
}
