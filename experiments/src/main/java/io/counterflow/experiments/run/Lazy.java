package io.counterflow.experiments.run;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A value that is computed once, when it is first needed. Thread-safe. */
public final class Lazy<T> implements Supplier<T> {

    private final Supplier<T> maker;
    private @Nullable T value;

    public Lazy(Supplier<T> maker) {
        this.maker = maker;
    }

    @Override
    public synchronized T get() {
        T made = value;
        if (made == null) {
            made = maker.get();
            value = made;
        }
        return made;
    }
}
