package io.counterflow.core.numeric;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ExponentialLawTest {

    private static final int DRAWS = 200_000;

    @ParameterizedTest
    @CsvSource({"1, -0.5, 0.5", "2, -5.0, 5.0", "3, -50.0, 50.0", "4, -745.0, 709.0"})
    void isWithinTwoUnitsInTheLastPlaceOfTheStrictOne(long seed, double from, double to) {
        EventRandom random = new EventRandom(seed);
        for (int i = 0; i < DRAWS; i++) {
            double x = from + (to - from) * random.nextDouble();
            assertWithinTwoUlps(x);
        }
    }

    @ParameterizedTest
    @ValueSource(
            doubles = {
                0x1p-60,
                -0x1p-60,
                Double.MIN_VALUE,
                -Double.MIN_VALUE,
                709.0,
                709.782712893384,
                -708.0,
                -708.3964185322641,
                -708.4,
                -720.0,
                -745.0,
                -745.1332191019411,
                0.34657359027997264,
                -0.34657359027997264,
                0.6931471805599453
            })
    void isWithinTwoUnitsInTheLastPlaceAtTheEdges(double x) {
        assertWithinTwoUlps(x);
    }

    @Test
    void handlesInfinityAndNan() {
        assertThat(Exponential.exp(0.0)).isEqualTo(1.0);
        assertThat(Exponential.exp(-0.0)).isEqualTo(1.0);
        assertThat(Exponential.exp(Double.NaN)).isNaN();
        assertThat(Exponential.exp(Double.POSITIVE_INFINITY)).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(Exponential.exp(Double.NEGATIVE_INFINITY)).isZero();
        assertThat(Exponential.exp(Math.nextUp(709.782712893384)))
                .isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(Exponential.exp(Double.MAX_VALUE)).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(Exponential.exp(-Double.MAX_VALUE)).isZero();
        assertThat(Exponential.exp(-746.0)).isZero();
        assertThat(Exponential.exp(-745.0)).isEqualTo(Double.MIN_VALUE);
    }

    @ParameterizedTest
    @CsvSource({
        "1.0, 0x1.5bf0a8b145769p1",
        "-1.0, 0x1.78b56362cef38p-2",
        "0.1, 0x1.1aec7b35a00d4p0",
        "10.0, 0x1.5829dcf95056p14",
        "-700.5, 0x1.4ff475c68ca02p-1011",
        "-740.0, 0x0.0000000000055p-1022",
        "709.7, 0x1.d75ae7a50ee14p1023"
    })
    void hasTheSameBitsEverywhere(double x, String bits) {
        assertThat(Double.toHexString(Exponential.exp(x))).isEqualTo(bits);
    }

    private static void assertWithinTwoUlps(double x) {
        double strict = StrictMath.exp(x);
        assertThat(Math.abs(Exponential.exp(x) - strict))
                .as("distance from exp(%s) = %s", x, strict)
                .isLessThanOrEqualTo(2.0 * Math.ulp(strict));
    }
}
