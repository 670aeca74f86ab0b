package io.counterflow.experiments.trial;

import io.counterflow.core.policy.LinearModel;
import io.counterflow.experiments.report.TestReward;
import io.counterflow.experiments.run.Measured;
import io.counterflow.experiments.run.UnitKey;
import io.counterflow.experiments.run.WorkUnit;
import java.util.function.Supplier;

/**
 * Creates units that train a method on the whole log of a trial and evaluate it on test data.
 *
 * @param setup setup of the experiment
 * @param experiment name of the experiment
 */
public record Evaluated(Setup setup, String experiment) {

    /**
     * Creates one unit.
     *
     * @param setting settings other than the strength; empty if there are none
     */
    public WorkUnit unit(
            int trial,
            Method method,
            Strength strength,
            int epochs,
            String setting,
            Supplier<LoggedTrial> logged) {
        UnitKey key = key(trial, method, strength, epochs, setting);
        return WorkUnit.of(
                key,
                (long) key.epochs() * setup.logged(),
                steps -> {
                    LoggedTrial log = logged.get();
                    LinearModel model = log.logging();
                    if (method.isTrained()) {
                        long order = Seeds.order(setup.seed(), trial, UnitKey.WHOLE_LOG);
                        model =
                                new MethodTraining(method, strength, epochs, order)
                                        .run(
                                                log,
                                                log.log(),
                                                epoch -> steps.accept(log.log().size()));
                    }
                    return Measured.onTest(TestReward.of(model, setup.data().test()));
                });
    }

    public UnitKey key(int trial, Method method, Strength strength, int epochs, String setting) {
        return setup.key(
                experiment,
                trial,
                method.toString(),
                (setting + ' ' + strength.setting()).strip(),
                strength.lambda(),
                UnitKey.WHOLE_LOG,
                method.isTrained() ? epochs : 0);
    }
}
