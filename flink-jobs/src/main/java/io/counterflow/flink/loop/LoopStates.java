package io.counterflow.flink.loop;

import io.counterflow.flink.types.WireTypeInfo;
import io.counterflow.schemas.record.LoopStateRecord;
import io.counterflow.schemas.record.StoredExampleRecord;
import io.counterflow.schemas.record.VersionParametersRecord;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * Where a loop is kept in keyed state: itself, its versions' parameters, and its buffered examples
 * by number, so that an example is written once and never moved.
 */
record LoopStates(
        ValueState<LoopStateRecord> loop,
        MapState<Long, VersionParametersRecord> versions,
        MapState<Long, StoredExampleRecord> examples) {

    static LoopStates of(KeyedStateStore store) {
        return new LoopStates(
                store.getState(
                        new ValueStateDescriptor<>(
                                "loop", new WireTypeInfo<>(LoopStateRecord.class))),
                store.getMapState(
                        new MapStateDescriptor<>(
                                "versions",
                                Types.LONG,
                                new WireTypeInfo<>(VersionParametersRecord.class))),
                store.getMapState(
                        new MapStateDescriptor<>(
                                "examples",
                                Types.LONG,
                                new WireTypeInfo<>(StoredExampleRecord.class))));
    }
}
