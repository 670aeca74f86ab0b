package io.counterflow.schemas.wire;

import io.counterflow.core.features.Interaction;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.record.DenseShape;
import io.counterflow.schemas.record.HashedShape;
import io.counterflow.schemas.record.NamedActionRecord;
import java.util.ArrayList;
import java.util.List;

/** From a loop's shape to its record and back. */
final class ShapeConversion {

    private static final NamedFeaturesJson FEATURES = new NamedFeaturesJson(JsonLimits.defaults());

    private ShapeConversion() {}

    static Object toRecord(LoopShape shape) {
        if (shape instanceof LoopShape.Dense dense) {
            return new DenseShape(dense.actions(), dense.features());
        }
        LoopShape.Hashed hashed = (LoopShape.Hashed) shape;
        List<NamedActionRecord> actions = new ArrayList<>();
        for (NamedAction action : hashed.fixedActions()) {
            actions.add(new NamedActionRecord(action.id(), FEATURES.write(action.features())));
        }
        return new HashedShape(
                hashed.bits(),
                hashed.interactions().stream().map(Interaction::toString).toList(),
                hashed.idFeatures(),
                actions);
    }

    static LoopShape fromRecord(Object shape) {
        if (shape instanceof DenseShape dense) {
            return new LoopShape.Dense(dense.getActions(), dense.getFeatures());
        }
        HashedShape hashed = (HashedShape) shape;
        List<NamedAction> actions = new ArrayList<>();
        for (NamedActionRecord action : hashed.getActions()) {
            actions.add(new NamedAction(action.getId(), features(action, actions.size())));
        }
        return new LoopShape.Hashed(
                hashed.getBits(),
                hashed.getInteractions().stream().map(Interaction::parse).toList(),
                hashed.getActionIds(),
                actions);
    }

    private static NamedFeatures features(NamedActionRecord action, int position) {
        try {
            return FEATURES.read(action.getFeatures());
        } catch (InvalidJsonException e) {
            throw new IllegalArgumentException(
                    "actions[%d].features %s".formatted(position, e.getMessage()), e);
        }
    }
}
