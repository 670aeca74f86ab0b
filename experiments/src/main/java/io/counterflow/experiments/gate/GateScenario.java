package io.counterflow.experiments.gate;

import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.rollout.RolloutCommand.Action;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What happens in a simulated stream while a candidate is compared with the active version.
 * Examples arrive 2,000 events after their decisions, in some scenarios 10,000. When the candidate
 * has been compared on 1,000 examples, people do something.
 */
enum GateScenario {
    HALF("rewards of 50 %", 0.5),
    FIVE_PERCENT("rewards of 5 %", 0.05),
    TWO_PERCENT("rewards of 2 %", 0.02),
    SMALL_GAIN("a gain of 5 % instead of 20 %", 0.05) {
        @Override
        double better() {
            return 0.05;
        }
    },
    FLOOR_DOWN("the floor changes from 0.5 to 0.05, 10,000 decisions in flight", 0.05) {
        @Override
        LoopSpec.Builder spec() {
            return super.spec().set(LoopSettings.EXPLORATION_FLOOR, 0.5);
        }

        @Override
        void act(GateStream stream, long candidate) {
            stream.change(LoopSettings.EXPLORATION_FLOOR, 0.05);
        }

        @Override
        int delay() {
            return 10_000;
        }
    },
    FLOOR_UP("the floor changes from 0.05 to 0.5, 10,000 decisions in flight", 0.05) {
        @Override
        void act(GateStream stream, long candidate) {
            stream.change(LoopSettings.EXPLORATION_FLOOR, 0.5);
        }

        @Override
        int delay() {
            return 10_000;
        }
    },
    TEMPERATURE_UP("the inverse temperature changes from 0.5 to 1; registered", 0.05) {
        @Override
        boolean isOwnCandidate() {
            return false;
        }

        @Override
        LoopSpec.Builder spec() {
            return super.spec().set(LoopSettings.INVERSE_TEMPERATURE, 0.5);
        }

        @Override
        void act(GateStream stream, long candidate) {
            stream.change(LoopSettings.INVERSE_TEMPERATURE, 1.0);
            stream.promoteCopyOfStart(); // it takes effect with the next generation
        }
    },
    TEMPERATURE_DOWN("the inverse temperature changes from 1 to 0.5; registered", 0.05) {
        @Override
        boolean isOwnCandidate() {
            return false;
        }

        @Override
        void act(GateStream stream, long candidate) {
            stream.change(LoopSettings.INVERSE_TEMPERATURE, 0.5);
            stream.promoteCopyOfStart();
        }
    },
    NEWER("a newer version, as good or as bad, takes its place every 500 decisions", 0.05) {
        @Override
        int newerEvery() {
            return 500;
        }
    },
    SHADOW("the candidate decides no events (canaryShare is 0)", 0.05) {
        @Override
        LoopSpec.Builder spec() {
            return super.spec().set(LoopSettings.CANARY_SHARE, 0.0);
        }
    },
    REGISTERED("a person registers the candidate", 0.05) {
        @Override
        boolean isOwnCandidate() {
            return false;
        }
    },
    TWO_VERSIONS("a person registers the candidate, and another version becomes active", 0.05) {
        @Override
        boolean isOwnCandidate() {
            return false;
        }

        @Override
        void act(GateStream stream, long candidate) {
            stream.promoteCopyOfStart();
        }
    },
    CANARY("a person lets the candidate decide 20 % of the events", 0.05) {
        @Override
        void act(GateStream stream, long candidate) {
            stream.command(Action.CANARY, OptionalLong.of(candidate), OptionalDouble.of(0.2));
        }
    },
    PAUSE("automatic changes are paused for 3,000 events", 0.05) {
        @Override
        void act(GateStream stream, long candidate) {
            stream.command(Action.PAUSE, OptionalLong.empty(), OptionalDouble.empty());
        }

        @Override
        void actAgain(GateStream stream) {
            stream.command(Action.RESUME, OptionalLong.empty(), OptionalDouble.empty());
        }
    },
    RESTARTS("the job restarts from its state, every 500 events on average", 0.05) {
        @Override
        void prepare(GateStream stream) {
            stream.setRestarts(1.0 / 500);
        }
    },
    WRONG("one of 20 propensities is wrong for 3,000 events; gain of 5 %", 0.05) {
        @Override
        double better() {
            return 0.05;
        }

        @Override
        void act(GateStream stream, long candidate) {
            stream.setWrong(0.05);
        }

        @Override
        void actAgain(GateStream stream) {
            stream.setWrong(0.0);
        }
    },
    ESTIMATED_FOR_A_WHILE("propensities are estimates for 3,000 events; gain of 5 %", 0.05) {
        @Override
        double better() {
            return 0.05;
        }

        @Override
        void act(GateStream stream, long candidate) {
            stream.setKind(PropensityKind.ESTIMATED);
        }

        @Override
        void actAgain(GateStream stream) {
            stream.setKind(PropensityKind.EXACT);
        }
    },
    MINIMUM_GAIN("`minimumGain` is 0.005; worse than that by 0.5 %", 0.05) {
        @Override
        double minimumGain() {
            return 0.005;
        }
    },
    NOT_WORSE("`minimumGain` is -0.003; worse than that by 0.5 %, or as good as before", 0.05) {
        @Override
        double minimumGain() {
            return -0.003;
        }

        @Override
        double better() {
            return 0.0;
        }

        @Override
        DenseModel candidate(GateWorld world, boolean wrong) {
            return wrong ? super.candidate(world, true) : world.equalModel(2.0, true);
        }
    },
    EXCLUSIONS("each action is excluded from 30 % of the decisions", 0.05) {
        @Override
        void prepare(GateStream stream) {
            stream.setExclusion(0.3);
        }
    },
    ESTIMATED("propensities are estimates", 0.05) {
        @Override
        void prepare(GateStream stream) {
            stream.setKind(PropensityKind.ESTIMATED);
        }
    },
    ROLLBACK("the candidate is promoted by a person, and may be rolled back", 0.05) {
        @Override
        boolean startsPromoted() {
            return true;
        }
    };

    private static final double BETTER = 0.2;
    private static final double WORSE = -0.005;
    private static final int ACTS_AFTER = 1_000;
    private static final int ACTS_AGAIN_AFTER = 4_000;

    private final String title;
    private final double rate;

    GateScenario(String title, double rate) {
        this.title = title;
        this.rate = rate;
    }

    String title() {
        return title;
    }

    double rate() {
        return rate;
    }

    LoopSpec.Builder spec() {
        return GateStream.spec();
    }

    /** Relative gain of a candidate that should be promoted. */
    double better() {
        return BETTER;
    }

    double minimumGain() {
        return 0.0;
    }

    /** Sets what holds from the beginning. */
    void prepare(GateStream stream) {}

    /** Whether the candidate is compared as one of the loop itself, not a registered one. */
    boolean isOwnCandidate() {
        return true;
    }

    /** Number of events after which a newer candidate replaces it; 0 for none. */
    int newerEvery() {
        return 0;
    }

    /** Number of events between a decision and its example. */
    int delay() {
        return 2_000;
    }

    /** Whether the candidate is active from the beginning, so that the gate watches it. */
    boolean startsPromoted() {
        return false;
    }

    /** What people do after the first 1,000 examples. */
    void act(GateStream stream, long candidate) {}

    /** What people do after 4,000 examples. */
    void actAgain(GateStream stream) {}

    private static void promote(GateStream stream, long version) {
        stream.command(Action.PROMOTE, OptionalLong.of(version), OptionalDouble.empty());
    }

    /** Relative gains of the candidate with which a decision of the gate is wrong and right. */
    double gain(boolean wrong) {
        double sign = startsPromoted() ? -1.0 : 1.0; // a rollback from a better version is wrong
        return wrong ? sign * WORSE : sign * better();
    }

    DenseModel candidate(GateWorld world, boolean wrong) {
        // A floor reduces the differences of all policies.
        double share = 1.0 - LoopSettings.EXPLORATION_FLOOR.defaultValue();
        double least = wrong ? minimumGain() / (share * world.startValue()) : 0.0;
        return world.modelWithGain(least + gain(wrong));
    }

    /**
     * Runs a stream until the gate decides.
     *
     * @param wrong whether a decision would be wrong
     * @return the number of events before the decision; −1 if there was none
     */
    int run(boolean wrong, int events, long seed) {
        return run(stream(seed), wrong, events, seed);
    }

    /** A stream of this scenario, without a candidate. */
    GateStream stream(long seed) {
        GateWorld world = new GateWorld(rate, seed);
        LoopSpec.Builder spec = spec().set(LoopSettings.MINIMUM_GAIN, minimumGain());
        GateStream stream = new GateStream(world, world.start(), spec, delay(), ~seed);
        prepare(stream);
        return stream;
    }

    int run(GateStream stream, boolean wrong, int events, long seed) {
        GateWorld world = new GateWorld(rate, seed);
        DenseModel model = candidate(world, wrong);
        long candidate = isOwnCandidate() ? stream.compare(model) : stream.register(model);
        if (startsPromoted()) {
            promote(stream, candidate);
        }
        for (int event = 0; event < events; event++) {
            if (event == delay() + ACTS_AFTER) {
                act(stream, candidate);
            }
            if (event == delay() + ACTS_AGAIN_AFTER) {
                actAgain(stream);
            }
            if (newerEvery() > 0 && event % newerEvery() == newerEvery() - 1) {
                stream.compare(model);
            }
            stream.next();
            if (stream.decidedAt().isPresent()) {
                return stream.decidedAt().getAsInt();
            }
        }
        return -1;
    }
}
