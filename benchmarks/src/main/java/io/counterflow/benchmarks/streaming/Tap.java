package io.counterflow.benchmarks.streaming;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Tells the stopwatch of the records that pass by a place in a job, and adds nothing to the job.
 *
 * @param <T> the records
 */
final class Tap<T> extends ProcessFunction<T, Void> {

    private static final long serialVersionUID = 1L;

    private final boolean atTheStart;
    private transient Stopwatch stopwatch;

    @SuppressWarnings("NullAway.Init") // Flink opens before anything else is called
    private Tap(boolean atTheStart) {
        this.atTheStart = atTheStart;
    }

    /** Where records are read. */
    static void read(DataStream<?> records, String name) {
        attach(records, name, true);
    }

    /** Where nothing is left to do with them. */
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
