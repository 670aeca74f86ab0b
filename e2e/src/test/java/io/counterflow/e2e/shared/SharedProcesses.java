package io.counterflow.e2e.shared;

import io.counterflow.cli.embedded.EmbeddedFlink;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Passes {@link SharedKafka} and {@link EmbeddedFlink} to tests that have a parameter of this type.
 * The broker and the cluster start with the first test that needs them, and stop after the last
 * test class of the process.
 */
public final class SharedProcesses implements ParameterResolver {

    /** The largest parallelism of a job in the tests. */
    private static final int SLOTS = 4;

    /** All threads of the broker and the cluster: a thread inherits the group of its creator. */
    private static final ThreadGroup THREADS = new ThreadGroup("shared processes");

    private static final Namespace NAMESPACE = Namespace.create(SharedProcesses.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == SharedKafka.class || type == EmbeddedFlink.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Store session = context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE);
        if (parameter.getParameter().getType() == EmbeddedFlink.class) {
            return session.getOrComputeIfAbsent(
                    EmbeddedFlink.class,
                    key -> start(() -> EmbeddedFlink.start(SLOTS)),
                    EmbeddedFlink.class);
        }
        return session.getOrComputeIfAbsent(
                        SharedBroker.class, key -> start(SharedBroker::start), SharedBroker.class)
                .newPrefix(context.getRequiredTestClass());
    }

    private static <T> T start(Supplier<T> process) {
        FutureTask<T> started = new FutureTask<>(process::get);
        new Thread(THREADS, started, "start of a shared process").start();
        try {
            return started.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a shared process does not start", e.getCause());
        }
    }

    /** Whether a thread belongs to the shared broker or the shared cluster. */
    static boolean isShared(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group != null && THREADS.parentOf(group);
    }
}
