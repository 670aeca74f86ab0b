package io.counterflow.experiments.trial;

import io.counterflow.core.policy.LinearModel;
import io.counterflow.experiments.report.TestReward;
import io.counterflow.experiments.run.Measured;
import io.counterflow.experiments.run.UnitKey;
import io.counterflow.experiments.run.WorkUnit;
import java.util.function.Supplier;

/**
 * Units that train a method on all of a trial's log and judge it on test data.
 *
 * @param setup what the experiment is made with
 * @param experiment its name
 */
public record Evaluated(Setup setup, String experiment) {

    /**
     * One unit.
     *
     * @param setting what else was set, besides what the strength says; empty for nothing
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
