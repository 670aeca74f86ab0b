package io.counterflow.benchmarks.streaming;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Notifies the stopwatch of the records of a stream and emits nothing.
 *
 * @param <T> the type of records
 */
final class Tap<T> extends ProcessFunction<T, Void> {

    private static final long serialVersionUID = 1L;

    private final boolean atTheStart;
    private transient Stopwatch stopwatch;

    @SuppressWarnings("NullAway.Init") // Flink calls open() first
    private Tap(boolean atTheStart) {
        this.atTheStart = atTheStart;
    }

    /** Attaches a tap that notifies the stopwatch of records that were read. */
    static void read(DataStream<?> records, String name) {
        attach(records, name, true);
    }

    /** Attaches a tap that notifies the stopwatch of processed records. */
    static void done(DataStream<?> records, String name) {
        attach(records, name, false);
    }

    private static <T> void attach(DataStream<T> records, String name, boolean atTheStart) {
        records.process(new Tap<T>(atTheStart)).returns(Types.VOID).uid(name).name(name);
    }

    @Override
    public void open(OpenContext context) {
        stopwatch = Stopwatch.current();
    }

    @Override
    public void processElement(T record, Context context, Collector<Void> out) {
        if (atTheStart) {
            stopwatch.read();
        } else {
            stopwatch.done();
        }
    }
}
