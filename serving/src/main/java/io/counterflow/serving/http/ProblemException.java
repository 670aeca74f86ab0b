package io.counterflow.serving.http;

/** A call that is refused, and what its caller is told. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    ProblemException(Problem problem) {
        super(problem.detail(), null, false, false); // no stack trace: refusals are not our faults
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
