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
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/**
 * Vowpal Wabbit's text format of contextual bandits with a fixed number of actions: a line per
 * decision with a label {@code action:cost:probability}. Further labels {@code action} mean that
 * only the actions with a label could be chosen. The reward is minus the cost.
 */
final class VwSimpleText extends LineLog {

    private final String loop;
    private final RewardMapping rewards;
    private final List<NamedAction> actions;

    /**
     * @param actions how many there are; their ids are the numbers from 1
     */
    VwSimpleText(String loop, RewardMapping rewards, int actions) {
        this.loop = loop;
        this.rewards = rewards;
        this.actions =
                ActionIds.numbered(actions).stream()
                        .map(id -> new NamedAction(id, NamedFeatures.none()))
                        .toList();
    }

    @Override
    Impression parse(TextLines lines, String eventId, Intake intake) {
        requireComplete(lines);
        VwLine line = VwLine.parse(lines.text(), new VwLine.Budget(JsonLimits.defaults()));
        if (line.isShared()) {
            throw new RejectedRecordException(
                    Rejection.MALFORMED,
                    "a line per action must be imported without --actions, got a line \"shared\"");
        }
        List<VwLine.Label> costs =
                line.labels().stream().filter(label -> label.cost().isPresent()).toList();
        if (costs.size() != 1) {
            throw new RejectedRecordException(
                    costs.isEmpty() ? Rejection.NO_LABEL : Rejection.ACTION,
                    "one action must have a label action:cost:probability, got " + costs.size());
        }
        VwLine.Label label = costs.get(0);
        return Decisions.of(
                eventId,
                loop,
                0,
                Instant.EPOCH,
                new Context.Named(line.features(), actions),
                new Choice(
                        index(label),
                        OptionalDouble.of(label.requirePropensity()),
                        PropensityKind.EXACT,
                        List.of(),
                        allowed(line.labels())),
                rewards.ofCost(label.requireCost()));
    }

    private int index(VwLine.Label label) {
        if (label.action() < 1 || label.action() > actions.size()) {
            throw new RejectedRecordException(
                    Rejection.ACTION,
                    "the action of a label must be in [1, %d], got %d"
                            .formatted(actions.size(), label.action()));
        }
        return (int) label.action() - 1;
    }

    private AllowedActions allowed(List<VwLine.Label> labels) {
        if (labels.size() == 1) {
            return AllowedActions.ALL;
        }
        boolean[] offered = new boolean[actions.size()];
        labels.forEach(label -> offered[index(label)] = true);
        return AllowedActions.allBut(
                IntStream.range(0, actions.size()).filter(a -> !offered[a]).toArray());
    }
}
