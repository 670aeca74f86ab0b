package io.counterflow.serving.stats;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.record.HoldoutRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.JudgedPolicyRecord;
import io.counterflow.schemas.record.MeanRewardRecord;
import io.counterflow.schemas.record.PolicyEstimateRecord;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes a window of estimates, in the loop's own unit of rewards. Numbers that are not finite are
 * left out.
 */
final class WindowJson {

    private final RewardRange unit;
    private final JsonGenerator json;

    private WindowJson(RewardRange unit, JsonGenerator json) {
        this.unit = unit;
        this.json = json;
    }

    static void write(IpsWindowRecord window, RewardRange unit, JsonGenerator json)
            throws IOException {
        new WindowJson(unit, json).write(window);
    }

    private void write(IpsWindowRecord window) throws IOException {
        json.writeStartObject();
        json.writeStringField("loop", window.getLoop());
        json.writeNumberField("policyVersion", window.getPolicyVersion());
        json.writeStringField("start", window.getWindowStart().toString());
        json.writeStringField("end", window.getWindowEnd().toString());
        json.writeNumberField("n", window.getN());
        writeReward("onPolicyMean", window.getOnPolicyMean());
        writeDifference("onPolicyStandardError", window.getOnPolicyStandardError());
        json.writeArrayFieldStart("estimates");
        for (PolicyEstimateRecord estimate : window.getEstimates()) {
            if (estimate.getPolicy() != JudgedPolicyRecord.APPRENTICE) {
                write(estimate);
            }
        }
        json.writeEndArray();
        json.writeArrayFieldStart("actionCounts");
        for (long count : window.getActionCounts()) {
            json.writeNumber(count);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("expectedActionCounts");
        for (double count : window.getExpectedActionCounts()) {
            json.writeNumber(count);
        }
        json.writeEndArray();
        json.writeNumberField("audited", window.getAudited());
        json.writeNumberField("auditMismatches", window.getAuditMismatches());
        json.writeNumberField("changesFound", window.getChangesFound());
        for (PolicyEstimateRecord estimate : window.getEstimates()) {
            if (estimate.getPolicy() == JudgedPolicyRecord.APPRENTICE) {
                writeApprentice(estimate);
                break; // the version that was active last
            }
        }
        if (window.getHoldout() != null) {
            json.writeFieldName("holdout");
            write(window.getHoldout());
        }
        json.writeEndObject();
    }

    /**
     * What is known about the value of a version from decisions of which it took none: the rewards
     * of the share of them with which it agrees, and 0 to 1 for each of the others.
     */
    private void writeApprentice(PolicyEstimateRecord apprentice) throws IOException {
        double unknown = 1.0 - apprentice.getMeanWeight();
        json.writeObjectFieldStart("apprentice");
        writeVersion(apprentice);
        json.writeNumberField("n", apprentice.getN());
        write("agreement", apprentice.getMeanWeight());
        writeReward("lowestValue", apprentice.getIps());
        writeDifference("lowestValueStandardError", apprentice.getIpsStandardError());
        writeReward("highestValue", apprentice.getIps() + unknown);
        json.writeEndObject();
    }

    private void write(HoldoutRecord holdout) throws IOException {
        json.writeStartObject();
        json.writeNumberField("version", holdout.getVersion());
        json.writeNumberField("share", holdout.getShare());
        json.writeStringField("since", holdout.getSince().toString());
        write("holdout", holdout.getHoldout());
        write("rest", holdout.getRest());
        writeDifference("gain", holdout.getGain());
        writeDifference("gainLower", holdout.getGainLower());
        writeDifference("gainUpper", holdout.getGainUpper());
        json.writeEndObject();
    }

    private void write(String field, MeanRewardRecord mean) throws IOException {
        json.writeObjectFieldStart(field);
        json.writeNumberField("n", mean.getN());
        writeReward("mean", mean.getMean());
        writeReward("lower", mean.getLower());
        writeReward("upper", mean.getUpper());
        json.writeEndObject();
    }

    private void write(PolicyEstimateRecord estimate) throws IOException {
        json.writeStartObject();
        json.writeStringField("policy", JsonName.of(estimate.getPolicy()));
        writeVersion(estimate);
        json.writeNumberField("n", estimate.getN());
        writeReward("ips", estimate.getIps());
        writeDifference("ipsStandardError", estimate.getIpsStandardError());
        writeReward("truncatedIps", estimate.getTruncatedIps());
        writeDifference("truncatedIpsStandardError", estimate.getTruncatedIpsStandardError());
        writeReward("selfNormalized", estimate.getSelfNormalized());
        writeDifference("selfNormalizedStandardError", estimate.getSelfNormalizedStandardError());
        writeReward("logSmoothed", estimate.getLogSmoothed());
        writeDifference("logSmoothedStandardError", estimate.getLogSmoothedStandardError());
        write("effectiveSampleSize", estimate.getEffectiveSampleSize());
        write("clipRate", estimate.getClipRate());
        write("meanWeight", estimate.getMeanWeight());
        write("meanWeightLower", estimate.getMeanWeightLower());
        write("meanWeightUpper", estimate.getMeanWeightUpper());
        write("maxWeight", estimate.getMaxWeight());
        json.writeEndObject();
    }

    private void writeVersion(PolicyEstimateRecord estimate) throws IOException {
        if (estimate.getVersion() != null) {
            json.writeNumberField("version", estimate.getVersion());
        }
    }

    private void writeReward(String field, @Nullable Double reward) throws IOException {
        write(field, reward == null ? null : unit.fromUnit(reward));
    }

    private void writeDifference(String field, @Nullable Double difference) throws IOException {
        write(field, difference == null ? null : unit.differenceFromUnit(difference));
    }

    private void write(String field, @Nullable Double value) throws IOException {
        if (value != null && Double.isFinite(value)) {
            json.writeNumberField(field, value);
        }
    }
}
