package io.counterflow.cli.streaming;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.log.KnownModel;
import io.counterflow.client.ClientSettings;
import io.counterflow.client.CounterflowClient;
import io.counterflow.client.ProblemResponseException;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.rollout.RolloutCommand.Action;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.json.InvalidJsonException;
import io.counterflow.schemas.json.JsonNames;
import io.counterflow.schemas.rollout.RolloutCommandConversion;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sends a rollout command to a serving process. */
@Command(
        name = "rollout",
        description = {
            "Send a rollout command: register a policy, promote a version, roll back.",
            "",
            "A registered policy becomes a candidate: the job compares it with the active version"
                    + " and promotes it if it is better. It is a snapshot of the shape of the loop,"
                    + " the greedy policy of a version, or one that always chooses the same action."
        },
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow rollout register --loop home --policy my.snapshot --reason june",
            "  counterflow rollout register --loop home --greedy-of 7 --reason exploit",
            "  counterflow rollout register --loop home --constant-action sport --reason test",
            "  counterflow rollout withdraw --loop home --version 7 --reason outdated",
            "  counterflow rollout canary --loop home --share 0.1 --reason trial",
            "  counterflow rollout promote --loop home --version 7 --reason better",
            "  counterflow rollout rollback --loop home --reason complaints --json",
            "  counterflow rollout pause --loop home --reason holidays"
        })
public final class ChangeRolloutCommand implements Callable<Integer> {

    @Mixin private final Output output;

    @Parameters(
            paramLabel = "ACTION",
            description = "promote, canary, rollback, register, withdraw, pause or resume.")
    private String action = "";

    @Option(
            names = "--loop",
            paramLabel = "NAME",
            required = true,
            description = "Loop whose rollout changes.")
    private String loop = "";

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            required = true,
            description = "Why. The history of the rollout shows it.")
    private String reason = "";

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "Snapshot to register, binary or JSON, such as the output of train.")
    private @Nullable Path policy;

    @Option(
            names = "--greedy-of",
            paramLabel = "N",
            description =
                    "Version whose greedy policy to register: always the action with the highest"
                            + " score. The exploration floor of the loop still applies.")
    private @Nullable Long greedyOf;

    @Option(
            names = "--constant-action",
            paramLabel = "ID",
            description =
                    "Action to register as a policy that always chooses it. The exploration floor"
                            + " of the loop still applies.")
    private @Nullable String constantAction;

    @Option(
            names = "--version",
            paramLabel = "N",
            description =
                    "Version to promote, to withdraw, to return to or to give a share. Default: the"
                            + " newest candidate; of a rollback, the previous version.")
    private @Nullable Long version;

    @Option(
            names = "--share",
            paramLabel = "X",
            description = "Share of the events that a canary decides, in (0, 1].")
    private @Nullable Double share;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "URL of the serving process. Default: ${DEFAULT-VALUE}.")
    private URI url = URI.create("http://localhost:8080");

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "File with a bearer token, if serving requires one. The token needs the scope"
                            + " admin.")
    private @Nullable Path tokenFile;

    public ChangeRolloutCommand(Terminal terminal) {
        this.output = new Output(terminal);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        RolloutCommand command = command();
        String commandId = send(client(), command);
        output.print(
                new FieldReport()
                        .field("loop", loop)
                        .field("action", JsonName.of(command.action()))
                        .field("commandId", commandId)
                        .line("recorded for %s as command %s", loop, commandId)
                        .line(
                                "The job executes or refuses it. The history in %s shows the"
                                        + " result.",
                                url.resolve("/v1/loops/" + loop + "/policies")));
        return ExitCode.DONE;
    }

    private RolloutCommand command() {
        Action asked = action();
        long policies =
                Stream.of(policy, greedyOf, constantAction).filter(Objects::nonNull).count();
        require(
                policies == (asked == Action.REGISTER ? 1 : 0),
                asked == Action.REGISTER
                        ? "register needs one policy: add --policy FILE, --greedy-of N or"
                                + " --constant-action ID"
                        : "--policy, --greedy-of and --constant-action must be given with register"
                                + " only");
        require(
                (asked == Action.CANARY) == (share != null),
                asked == Action.CANARY
                        ? "canary needs a share of the events: add --share, such as --share 0.1"
                        : "--share must be given with canary only");
        require(
                asked != Action.WITHDRAW || version != null,
                "withdraw needs a registered version: add --version N");
        require(
                version == null || hasVersion(asked),
                "--version must not be given with " + JsonName.of(asked));
        Optional<PolicySnapshot> snapshot =
                Optional.ofNullable(policy).map(file -> KnownModel.read(file).snapshot());
        return BadInputException.ifRefused(
                "rollout",
                () ->
                        new RolloutCommand(
                                asked,
                                version == null ? OptionalLong.empty() : OptionalLong.of(version),
                                share == null ? OptionalDouble.empty() : OptionalDouble.of(share),
                                RolloutCommandConversion.policy(
                                        snapshot,
                                        greedyOf == null
                                                ? OptionalLong.empty()
                                                : OptionalLong.of(greedyOf),
                                        Optional.ofNullable(constantAction)),
                                reason));
    }

    private Action action() {
        try {
            return JsonNames.constant(Action.class, "ACTION", action);
        } catch (InvalidJsonException e) {
            throw new BadInputException(String.valueOf(e.getMessage()), e);
        }
    }

    /** A registered policy gets the next version, and a pause concerns no version. */
    private static boolean hasVersion(Action asked) {
        return switch (asked) {
            case PROMOTE, CANARY, ROLLBACK, WITHDRAW -> true;
            case REGISTER, PAUSE, RESUME -> false;
        };
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new BadInputException(message);
        }
    }

    private CounterflowClient client() throws IOException {
        ClientSettings open = BadInputException.ifRefused("--url", () -> ClientSettings.of(url));
        return new CounterflowClient(
                tokenFile == null ? open : open.withToken(Files.readString(tokenFile).strip()));
    }

    private String send(CounterflowClient client, RolloutCommand command)
            throws IOException, InterruptedException {
        try {
            return client.rollout(loop, command);
        } catch (ProblemResponseException problem) {
            throw refusal(problem);
        } catch (ConnectException e) {
            throw new IllegalStateException(
                    "cannot connect to %s; check --url and that serving is running".formatted(url),
                    e);
        } catch (HttpTimeoutException e) {
            throw new IllegalStateException(
                    "%s did not answer in time; the history of the rollout shows whether the command"
                                    .formatted(url)
                            + " was recorded",
                    e);
        }
    }

    private static RuntimeException refusal(ProblemResponseException problem) {
        String hint =
                switch (problem.status()) {
                    case 401 -> "; add --token-file FILE with a token of the scope admin";
                    case 413 -> "; set serving.max-body-size to allow larger snapshots";
                    default -> "";
                };
        String message =
                "the server refused the command: %s%s (%s)"
                        .formatted(problem.detail(), hint, problem.instance());
        boolean bad = problem.status() < 500;
        return bad
                ? new BadInputException(message, problem)
                : new IllegalStateException(message, problem);
    }
}
