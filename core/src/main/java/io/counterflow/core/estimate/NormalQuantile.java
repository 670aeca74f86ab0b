package io.counterflow.core.estimate;

/**
 * Quantiles of the standard normal distribution: Wichura's algorithm AS 241 (1988), about 16
 * digits.
 */
final class NormalQuantile {

    private static final double CENTRAL = 0.425;

    private static final double[] CENTRAL_ABOVE = {
        2509.0809287301227, 33430.57558358813, 67265.7709270087,
        45921.95393154987, 13731.69376550946, 1971.5909503065513,
        133.14166789178438, 3.3871328727963665
    };
    private static final double[] CENTRAL_BELOW = {
        5226.495278852854, 28729.085735721943, 39307.89580009271,
        21213.794301586597, 5394.196021424751, 687.1870074920579,
        42.31333070160091, 1.0
    };
    private static final double[] NEAR_ABOVE = {
        0.0007745450142783414, 0.022723844989269184, 0.2417807251774506,
        1.2704582524523684, 3.6478483247632045, 5.769497221460691,
        4.630337846156546, 1.4234371107496835
    };
    private static final double[] NEAR_BELOW = {
        1.0507500716444169e-09, 0.0005475938084995345, 0.015198666563616457,
        0.14810397642748008, 0.6897673349851, 1.6763848301838038,
        2.053191626637759, 1.0
    };
    private static final double[] FAR_ABOVE = {
        2.0103343992922881e-07, 2.7115555687434876e-05, 0.0012426609473880784,
        0.026532189526576124, 0.29656057182850487, 1.7848265399172913,
        5.463784911164114, 6.657904643501103
    };
    private static final double[] FAR_BELOW = {
        2.0442631033899397e-15, 1.421511758316446e-07, 1.8463183175100548e-05,
        0.0007868691311456133, 0.014875361290850615, 0.1369298809227358,
        0.599832206555888, 1.0
    };

    private NormalQuantile() {}

    /** z with P(Z &gt; z) = {@code tail}, for a tail in (0, 1). */
    static double upper(double tail) {
        double q = 0.5 - tail;
        if (Math.abs(q) <= CENTRAL) {
            double r = CENTRAL * CENTRAL - q * q;
            return q * polynomial(CENTRAL_ABOVE, r) / polynomial(CENTRAL_BELOW, r);
        }
        double r = Math.sqrt(-StrictMath.log(Math.min(tail, 1.0 - tail)));
        double z =
                r <= 5.0
                        ? polynomial(NEAR_ABOVE, r - 1.6) / polynomial(NEAR_BELOW, r - 1.6)
                        : polynomial(FAR_ABOVE, r - 5.0) / polynomial(FAR_BELOW, r - 5.0);
        return q < 0.0 ? -z : z;
    }

    /** Horner's rule; the coefficient of the highest power comes first. */
    private static double polynomial(double[] coefficients, double x) {
        double sum = 0.0;
        for (double coefficient : coefficients) {
            sum = sum * x + coefficient;
        }
        return sum;
    }
}
