package io.counterflow.flink.windows;

import io.counterflow.flink.loop.JudgedExample;
import io.counterflow.schemas.record.IpsWindowRecord;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Stands in for the windows: takes examples and says nothing. */
public final class IpsWindows extends AbstractStreamOperator<IpsWindowRecord>
        implements OneInputStreamOperator<JudgedExample, IpsWindowRecord> {

    /** Identity in savepoints. */
    public static final String UID = "ips-windows";

    private static final long serialVersionUID = 1L;

    @SuppressWarnings("UnusedVariable")
    private final WindowConfig settings;

    public IpsWindows(WindowConfig config) {
        this.settings = config;
    }

    @Override
    public void processElement(StreamRecord<JudgedExample> element) {}
}
