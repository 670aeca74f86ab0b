package io.counterflow.flink.join;

import java.util.HashMap;
import java.util.Map;

/** The decisions of one bucket that wait, by key. */
final class Bucket {

    private final int number;
    private final Map<String, WaitingDecision> decisions = new HashMap<>();
    private Reached reached;

    Bucket(int number, Reached reached) {
        this.number = number;
        this.reached = reached;
    }

    int number() {
        return number;
    }

    Map<String, WaitingDecision> decisions() {
        return decisions;
    }

    Reached reached() {
        return reached;
    }

    void reached(Reached further) {
        reached = further;
    }
}
