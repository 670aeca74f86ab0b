package io.counterflow.schemas.topics;

/** The topics, with their retention. */
public enum Topic {
    IMPRESSIONS("impressions", Keeping.FEEDBACK),
    REWARDS("rewards", Keeping.FEEDBACK),
    JOURNAL("journal", Keeping.LOG),
    LOOPS("loops", Keeping.NEWEST),
    POLICY_SNAPSHOTS("policy-snapshots", Keeping.NEWEST),
    ROLLOUTS("rollouts", Keeping.NEWEST),
    ROLLOUT_COMMANDS("rollout-commands", Keeping.FEEDBACK),
    IPS_STATS("ips-stats", Keeping.FEEDBACK),
    LOOP_COUNTS("loop-counts", Keeping.SHOWN),
    CHECKPOINTS("checkpoints", Keeping.NEWEST),
    LATE("late", Keeping.FEEDBACK),
    DEAD_LETTERS("dead-letters", Keeping.FEEDBACK);

    /** How long records are kept. */
    enum Keeping {
        /** For a short time, until they are joined or displayed. */
        FEEDBACK,
        /** For a day: only the last minutes are displayed. */
        SHOWN,
        /** As long as a replay may need them. */
        LOG,
        /** The newest of each key, for ever. */
        NEWEST
    }

    private final String suffix;
    private final Keeping keeping;

    Topic(String suffix, Keeping keeping) {
        this.suffix = suffix;
        this.keeping = keeping;
    }

    /** Its name without the prefix. */
    public String suffix() {
        return suffix;
    }

    Keeping keeping() {
        return keeping;
    }

    /** Whether it is keyed by event id. All such topics have the same number of partitions. */
    public boolean isKeyedByEvent() {
        return this == IMPRESSIONS || this == REWARDS;
    }

    /**
     * Whether the broker sets its timestamps. The job compares the times of events with them, and
     * the clock of a producer cannot check itself.
     */
    boolean hasBrokerTime() {
        return isKeyedByEvent() || this == LOOPS || this == ROLLOUT_COMMANDS;
    }
}
