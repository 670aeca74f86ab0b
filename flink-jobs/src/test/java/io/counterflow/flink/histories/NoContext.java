package io.counterflow.flink.histories;

import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.clock.RelativeClock;
import org.apache.flink.util.clock.SystemClock;

/** For generators of watermarks that need neither metrics nor a clock. */
final class NoContext implements WatermarkGeneratorSupplier.Context {

    @Override
    public MetricGroup getMetricGroup() {
        return new UnregisteredMetricsGroup();
    }

    @Override
    public RelativeClock getInputActivityClock() {
        return SystemClock.getInstance();
    }
}
