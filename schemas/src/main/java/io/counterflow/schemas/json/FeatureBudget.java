package io.counterflow.schemas.json;

/** Counts the feature values of one impression and enforces the limit. */
public final class FeatureBudget {

    private final int most;
    private int used;

    public FeatureBudget(int most) {
        this.most = most;
    }

    void spend(String field) {
        if (++used > most) {
            throw new InvalidJsonException(
                    field, "must not bring more than " + most + " feature values to an impression");
        }
    }
}
