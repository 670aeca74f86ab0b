package io.counterflow.schemas.topics;

/** Every topic, and what its records are kept for. */
public enum Topic {
    IMPRESSIONS("impressions", Keeping.FEEDBACK),
    REWARDS("rewards", Keeping.FEEDBACK),
    EXAMPLES("examples", Keeping.LOG),
    LOOPS("loops", Keeping.NEWEST_AND_LOG),
    POLICY_SNAPSHOTS("policy-snapshots", Keeping.NEWEST),
    ROLLOUTS("rollouts", Keeping.NEWEST),
    ROLLOUT_COMMANDS("rollout-commands", Keeping.LOG),
    IPS_STATS("ips-stats", Keeping.FEEDBACK),
    LATE("late", Keeping.LOG),
    DEAD_LETTERS("dead-letters", Keeping.FEEDBACK);

    /** How long records are kept. */
    enum Keeping {
        /** Until they have been joined, looked at or shown. */
        FEEDBACK,
        /** As long as a replay may want them. */
        LOG,
        /** The newest of each key, for ever. */
        NEWEST,
        /** The newest of each key for ever, and all of them as long as a replay may want them. */
        NEWEST_AND_LOG
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

    /** Whether it is keyed by event id, and must have as many partitions as the others that are. */
    boolean isKeyedByEvent() {
        return this == IMPRESSIONS || this == REWARDS;
    }
}
