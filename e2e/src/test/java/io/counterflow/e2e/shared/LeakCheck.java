package io.counterflow.e2e.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Fails a test class that leaves Kafka clients or threads open, because test classes share a
 * process. The threads of the shared broker and of the shared cluster may stay.
 */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {

    private static final Namespace NAMESPACE = Namespace.create(LeakCheck.class);

    /** The time that threads have to end after they were stopped. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        context.getStore(NAMESPACE).put(OpenResources.class, OpenResources.now());
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        OpenResources before =
                context.getStore(NAMESPACE).get(OpenResources.class, OpenResources.class);
        long endNs = System.nanoTime() + LIMIT.toNanos();
        Set<String> left = OpenResources.now().since(before);
        while (!left.isEmpty() && System.nanoTime() < endNs) {
            TimeUnit.MILLISECONDS.sleep(50);
            left = OpenResources.now().since(before);
        }
        assertThat(left)
                .as("%s leaves open", context.getRequiredTestClass().getSimpleName())
                .isEmpty();
    }
}
