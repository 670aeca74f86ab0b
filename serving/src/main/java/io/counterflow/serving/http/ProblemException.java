package io.counterflow.serving.http;

/** A call is refused with a problem document. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    ProblemException(Problem problem) {
        super(
                problem.detail(),
                null,
                false,
                false); // no stack trace, because a refusal is no defect
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
