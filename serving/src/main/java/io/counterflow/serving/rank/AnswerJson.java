package io.counterflow.serving.rank;

import io.counterflow.client.rank.RankedDecision;
import io.counterflow.client.rank.Ranking;
import io.counterflow.client.rank.Slot;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.json.JsonText;
import io.counterflow.serving.http.Reply;
import java.util.List;

/** Writes replies with decisions, as text, because there is one for every decision. */
final class AnswerJson {

    private AnswerJson() {}

    static Reply reply(RankService.Answer answer) {
        StringBuilder json = new StringBuilder(1_024);
        json.append('{');
        append(answer, json);
        return Reply.text(200, Reply.JSON, json.append('}').toString());
    }

    static Reply reply(String eventId, List<Slot> slots, List<RankService.Answer> answers) {
        StringBuilder json = new StringBuilder(1_024 * slots.size());
        json.append("{\"eventId\":");
        JsonText.append(eventId, json);
        json.append(",\"slots\":");
        char separator = '[';
        for (int i = 0; i < slots.size(); i++) {
            json.append(separator).append("{\"id\":");
            JsonText.append(slots.get(i).id(), json);
            json.append(',');
            append(answers.get(i), json);
            json.append('}');
            separator = ',';
        }
        return Reply.text(200, Reply.JSON, json.append("]}").toString());
    }

    private static void append(RankService.Answer answer, StringBuilder json) {
        RankedDecision ranked = answer.ranked();
        json.append("\"eventId\":");
        JsonText.append(ranked.impression().eventId(), json);
        json.append(",\"loop\":");
        JsonText.append(ranked.impression().loop(), json);
        json.append(",\"policyVersion\":").append(ranked.impression().policyVersion());
        json.append(",\"action\":").append(ranked.decision().action());
        json.append(",\"actionId\":");
        JsonText.append(ranked.actionId(), json);
        json.append(",\"propensity\":");
        JsonText.append(ranked.decision().propensity(), json);
        json.append(",\"propensityKind\":");
        JsonText.append(JsonName.of(ranked.decision().kind()), json);
        json.append(",\"logged\":").append(answer.logged()).append(",\"ranking\":");
        Ranking.append(ranked, json);
    }
}
