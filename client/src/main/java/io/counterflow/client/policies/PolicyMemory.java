package io.counterflow.client.policies;

import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import java.util.concurrent.atomic.AtomicLong;

/** How much memory the policies of all loops take. */
final class PolicyMemory {

    private final PolicyLimits limits;
    private final AtomicLong used = new AtomicLong(); // read by metrics

    PolicyMemory(PolicyLimits limits) {
        this.limits = limits;
    }

    /** What a model takes. The parameters of the uniform policy take nothing. */
    static long bytesOf(LinearModel model) {
        if (model instanceof HashedModel hashed) {
            return hashed.isZero() ? 0 : hashed.weightCount() * Float.BYTES;
        }
        DenseModel dense = (DenseModel) model;
        long parameters =
                dense.isZero() ? dense.biasCount() : dense.weightCount() + dense.biasCount();
        return parameters * Float.BYTES;
    }

    long used() {
        return used.get();
    }

    /** Something that took {@code before} bytes takes {@code now} bytes. */
    void change(long before, long now) {
        used.addAndGet(now - before);
    }

    boolean hasRoom(long bytes) {
        return used.get() + bytes <= limits.allBytes();
    }

    String shortage(long bytes) {
        return "it takes %d bytes, and the policies of all loops take %d of at most %d (serving.max-policies-size)"
                .formatted(bytes, used.get(), limits.allBytes());
    }
}
