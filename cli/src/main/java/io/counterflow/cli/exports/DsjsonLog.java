package io.counterflow.cli.exports;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.Losses;
import io.counterflow.cli.imports.DsjsonFeatures;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Impression;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.schemas.file.AtomicFile;
import io.counterflow.schemas.json.JsonText;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.log.TextLines;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/**
 * Decision-service JSON, which Vowpal Wabbit reads with {@code --dsjson}: an event on every line.
 * The cost is minus the reward, in the unit of the loop.
 */
final class DsjsonLog implements DecisionWriter {

    private static final int BUFFER = 64 * 1024;

    private final AtomicFile file;
    private final OutputStream out;
    private String loop = "";

    DsjsonLog(Path path) throws IOException {
        file = AtomicFile.create(path);
        try {
            OutputStream buffered = new BufferedOutputStream(file.out(), BUFFER);
            out =
                    path.toString().endsWith(".gz")
                            ? new GZIPOutputStream(buffered, BUFFER)
                            : buffered;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /**
     * An action that could be chosen.
     *
     * @param position its position in the decision, which may have excluded actions too
     */
    private record Offered(int position, NamedAction action, double probability) {}

    @Override
    public void write(LoggedDecision decision, Losses<ExportLoss> losses)
            throws IOException, LeftOutException {
        requireOneLoop(decision.impression().loop());
        byte[] line = line(decision, losses).getBytes(StandardCharsets.UTF_8);
        if (line.length > TextLines.MAX_LINE_BYTES) {
            throw new LeftOutException(
                    LeftOut.TOO_LARGE,
                    "a line must not have more than %d bytes, got %d"
                            .formatted(TextLines.MAX_LINE_BYTES, line.length));
        }
        out.write(line);
        out.write('\n');
    }

    /** An event does not have the name of its loop. */
    private void requireOneLoop(String next) {
        if (loop.isEmpty()) {
            loop = next;
        }
        if (!loop.equals(next)) {
            throw new BadInputException(
                    "dsjson has one loop in a file, got \"%s\" and \"%s\"; choose one with --loop"
                            .formatted(loop, next));
        }
    }

    private static String line(LoggedDecision decision, Losses<ExportLoss> losses)
            throws LeftOutException {
        Impression impression = decision.impression();
        Choice choice = impression.choice();
        if (choice.propensity().isEmpty()) {
            throw new LeftOutException(
                    LeftOut.NO_PROPENSITY, "_label_probability needs the propensity");
        }
        if (decision.reward().isEmpty()) {
            throw new LeftOutException(LeftOut.NO_REWARD, "_label_cost needs the reward");
        }
        List<Offered> offered = offered(decision, losses);
        int label = label(offered, choice.action());
        StringBuilder json = new StringBuilder(512).append("{\"_label_cost\":");
        JsonText.append(0.0 - decision.reward().getAsDouble(), json); // never -0.0
        json.append(",\"_label_probability\":");
        JsonText.append(choice.propensity().getAsDouble(), json);
        json.append(",\"_label_Action\":").append(label + 1);
        json.append(",\"_labelIndex\":").append(label);
        json.append(",\"Version\":\"1\",\"EventId\":");
        JsonText.append(impression.eventId(), json);
        json.append(",\"Timestamp\":");
        JsonText.append(impression.time().toString(), json);
        appendRanking(offered, label, hasDistribution(choice), json);
        appendContext(impression, offered, new PlainFeatures(losses), json);
        if (impression.policyVersion() > 0) {
            json.append(",\"VWState\":{\"m\":\"counterflow-")
                    .append(impression.policyVersion())
                    .append("\"}");
        }
        addLosses(impression, losses);
        return json.append('}').toString();
    }

    private static List<Offered> offered(LoggedDecision decision, Losses<ExportLoss> losses)
            throws LeftOutException {
        List<NamedAction> actions = decision.actions();
        Choice choice = decision.impression().choice();
        if (choice.action() >= actions.size()) {
            throw new LeftOutException(
                    LeftOut.NO_ACTIONS,
                    actions.isEmpty()
                            ? "the decision does not list its actions; --actions K numbers them"
                            : "action must be below %d, the number of actions, got %d"
                                    .formatted(actions.size(), choice.action()));
        }
        List<Offered> offered = new ArrayList<>(actions.size());
        List<Double> distribution = choice.distribution();
        for (int a = 0; a < actions.size(); a++) {
            if (choice.allowed().contains(a)) {
                double probability = a < distribution.size() ? distribution.get(a) : 0.0;
                offered.add(new Offered(a, actions.get(a), probability));
            } else {
                losses.add(ExportLoss.EXCLUDED_ACTIONS);
            }
        }
        return offered;
    }

    private static int label(List<Offered> offered, int action) {
        int label = 0;
        while (offered.get(label).position() != action) {
            label++;
        }
        return label;
    }

    private static boolean hasDistribution(Choice choice) {
        return !choice.distribution().isEmpty()
                && choice.propensityKind() != PropensityKind.UPPER_BOUND;
    }

    /** The positions from 1, the chosen action first and then by probability, as a ranking is. */
    private static void appendRanking(
            List<Offered> offered, int label, boolean withProbabilities, StringBuilder json) {
        List<Integer> ranking = new ArrayList<>();
        for (int a = 0; a < offered.size(); a++) {
            if (a != label) {
                ranking.add(a);
            }
        }
        ranking.sort(Comparator.comparingDouble(a -> -offered.get(a).probability()));
        ranking.add(0, label);
        json.append(",\"a\":[");
        for (int i = 0; i < ranking.size(); i++) {
            json.append(i > 0 ? "," : "").append(ranking.get(i) + 1);
        }
        json.append(']');
        if (withProbabilities) {
            json.append(",\"p\":[");
            for (int i = 0; i < ranking.size(); i++) {
                json.append(i > 0 ? "," : "");
                JsonText.append(offered.get(ranking.get(i)).probability(), json);
            }
            json.append(']');
        }
    }

    private static void appendContext(
            Impression impression,
            List<Offered> offered,
            PlainFeatures features,
            StringBuilder json) {
        String shared = NamedFeaturesJson.write(features.of(impression.context()));
        json.append(",\"c\":").append(shared, 0, shared.length() - 1);
        json.append(shared.length() > 2 ? "," : "").append("\"_multi\":[");
        for (int a = 0; a < offered.size(); a++) {
            NamedAction action = offered.get(a).action();
            String own = NamedFeaturesJson.write(withId(action, features.of(action.features())));
            json.append(a > 0 ? "," : "").append("{\"_tag\":");
            JsonText.append(action.id(), json);
            json.append(own.length() > 2 ? "," : "").append(own, 1, own.length());
        }
        json.append("]}");
    }

    /** Vowpal Wabbit does not learn from tags, so the id is a feature as well. */
    private static NamedFeatures withId(NamedAction action, NamedFeatures features) {
        NamedFeatures.Entry id = DsjsonFeatures.id(action.id());
        List<NamedFeatures.Entry> entries = new ArrayList<>(features.entries());
        if (entries.stream().noneMatch(entry -> entry.name().equals(id.name()))) {
            entries.add(0, id);
        }
        return new NamedFeatures(entries);
    }

    private static void addLosses(Impression impression, Losses<ExportLoss> losses) {
        Choice choice = impression.choice();
        if (choice.propensityKind() != PropensityKind.EXACT) {
            losses.add(ExportLoss.PROPENSITY_KIND);
        }
        if (choice.split().isPresent()) {
            losses.add(ExportLoss.SPLIT);
        }
        if (choice.holdout()) {
            losses.add(ExportLoss.HOLDOUT);
        }
        if (choice.policyAction().isPresent()) {
            losses.add(ExportLoss.POLICY_ACTION);
        }
        if (impression.guardrailReward().isPresent()) {
            losses.add(ExportLoss.GUARDRAIL);
        }
    }

    @Override
    public void finish() throws IOException {
        out.close();
        file.commit();
    }

    @Override
    public void close() throws IOException {
        try (file) { // also if the stream cannot be closed
            out.close();
        }
    }
}
