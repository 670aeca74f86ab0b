package io.counterflow.experiments.worlds;

/**
 * Settings of a {@link CatalogueWorld}. The last four are 0 where they do not apply.
 *
 * @param segments number of segments of users
 * @param topics number of topics of articles
 * @param pool number of articles at a time
 * @param shown number of articles of a request
 * @param base log-odds of a reward of an average article
 * @param affinity standard deviation of the log-odds over pairs of segment and topic
 * @param quality standard deviation of the log-odds over articles
 * @param replaceEvery number of events after which one article is replaced by a new one
 * @param day number of events after which all articles are replaced by new ones
 * @param flipAt number of events after which all preferences change their sign
 * @param season number of events in which preferences go through a cycle
 */
record CatalogueSettings(
        int segments,
        int topics,
        int pool,
        int shown,
        double base,
        double affinity,
        double quality,
        int replaceEvery,
        int day,
        int flipAt,
        int season) {

    /** A page with 20 articles out of 60; one is replaced every 500 events. Rewards: 4 to 8 %. */
    static CatalogueSettings page() {
        return new CatalogueSettings(10, 10, 60, 20, -3.3, 0.35, 0.25, 500, 0, 0, 0);
    }

    /** Twenty fixed actions. Rewards: about 7 to 18 %. */
    static CatalogueSettings menu() {
        return new CatalogueSettings(10, 10, 20, 20, -2.9, 0.7, 0.25, 0, 0, 0, 0);
    }

    /** A choice of 200 fixed actions. Rewards: 1 to 5 %. */
    static CatalogueSettings shop() {
        return new CatalogueSettings(10, 20, 200, 200, -4.6, 0.5, 0.35, 0, 0, 0, 0);
    }

    CatalogueSettings replacing(int every, int newDay) {
        return new CatalogueSettings(
                segments, topics, pool, shown, base, affinity, quality, every, newDay, flipAt,
                season);
    }

    CatalogueSettings flipping(int at) {
        return new CatalogueSettings(
                segments,
                topics,
                pool,
                shown,
                base,
                affinity,
                quality,
                replaceEvery,
                day,
                at,
                season);
    }

    CatalogueSettings seasonal(int events) {
        return new CatalogueSettings(
                segments,
                topics,
                pool,
                shown,
                base,
                affinity,
                quality,
                replaceEvery,
                day,
                flipAt,
                events);
    }
}
