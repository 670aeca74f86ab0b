package io.counterflow.serving.stats;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.record.HoldoutRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.MeanRewardRecord;
import io.counterflow.schemas.record.PolicyEstimateRecord;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes a window of estimates. Numbers that are not finite are left out. */
final class WindowJson {

    private WindowJson() {}

    static void write(IpsWindowRecord window, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("loop", window.getLoop());
        json.writeNumberField("policyVersion", window.getPolicyVersion());
        json.writeStringField("start", window.getWindowStart().toString());
        json.writeStringField("end", window.getWindowEnd().toString());
        json.writeNumberField("n", window.getN());
        write("onPolicyMean", window.getOnPolicyMean(), json);
        write("onPolicyStandardError", window.getOnPolicyStandardError(), json);
        json.writeArrayFieldStart("estimates");
        for (PolicyEstimateRecord estimate : window.getEstimates()) {
            write(estimate, json);
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
        if (window.getHoldout() != null) {
            json.writeFieldName("holdout");
            write(window.getHoldout(), json);
        }
        json.writeEndObject();
    }

    private static void write(HoldoutRecord holdout, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeNumberField("version", holdout.getVersion());
        json.writeNumberField("share", holdout.getShare());
        json.writeStringField("since", holdout.getSince().toString());
        write("holdout", holdout.getHoldout(), json);
        write("rest", holdout.getRest(), json);
        json.writeNumberField("gain", holdout.getGain());
        json.writeNumberField("gainLower", holdout.getGainLower());
        json.writeNumberField("gainUpper", holdout.getGainUpper());
        json.writeEndObject();
    }

    private static void write(String field, MeanRewardRecord mean, JsonGenerator json)
            throws IOException {
        json.writeObjectFieldStart(field);
        json.writeNumberField("n", mean.getN());
        json.writeNumberField("mean", mean.getMean());
        json.writeNumberField("lower", mean.getLower());
        json.writeNumberField("upper", mean.getUpper());
        json.writeEndObject();
    }

    private static void write(PolicyEstimateRecord estimate, JsonGenerator json)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("policy", JsonName.of(estimate.getPolicy()));
        if (estimate.getVersion() != null) {
            json.writeNumberField("version", estimate.getVersion());
        }
        json.writeNumberField("n", estimate.getN());
        write("ips", estimate.getIps(), json);
        write("ipsStandardError", estimate.getIpsStandardError(), json);
        write("truncatedIps", estimate.getTruncatedIps(), json);
        write("truncatedIpsStandardError", estimate.getTruncatedIpsStandardError(), json);
        write("selfNormalized", estimate.getSelfNormalized(), json);
        write("selfNormalizedStandardError", estimate.getSelfNormalizedStandardError(), json);
        write("logSmoothed", estimate.getLogSmoothed(), json);
        write("logSmoothedStandardError", estimate.getLogSmoothedStandardError(), json);
        write("effectiveSampleSize", estimate.getEffectiveSampleSize(), json);
        write("clipRate", estimate.getClipRate(), json);
        write("meanWeight", estimate.getMeanWeight(), json);
        write("meanWeightLower", estimate.getMeanWeightLower(), json);
        write("meanWeightUpper", estimate.getMeanWeightUpper(), json);
        write("maxWeight", estimate.getMaxWeight(), json);
        json.writeEndObject();
    }

    private static void write(String field, @Nullable Double value, JsonGenerator json)
            throws IOException {
        if (value != null && Double.isFinite(value)) {
            json.writeNumberField(field, value);
        }
    }
}
