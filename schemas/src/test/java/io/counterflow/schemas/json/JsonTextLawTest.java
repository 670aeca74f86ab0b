package io.counterflow.schemas.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.io.NumberOutput;
import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class JsonTextLawTest {

    private static final int NUMBERS = 200_000;

    @Test
    void numbersAreWrittenAsJacksonWritesThem() {
        Random random = new Random(5);
        for (int i = 0; i < NUMBERS; i++) {
            double decimal =
                    BigDecimal.valueOf(random.nextLong() >> random.nextInt(64), random.nextInt(12))
                            .doubleValue();
            requireSame(decimal);
            requireSame(Math.nextUp(decimal));
            requireSame(Math.nextDown(decimal));
            requireSame(random.nextDouble());
            requireSame(Double.longBitsToDouble(random.nextLong()));
        }
    }

    @Test
    void zerosAndNumbersNextToAnExponentAreWrittenAsJacksonWritesThem() {
        for (double edge : new double[] {0.0, 1e-6, 1e-3, 1.0, 1e6, 1e7, 9_999_999.999999}) {
            for (double value : new double[] {edge, Math.nextUp(edge), Math.nextDown(edge)}) {
                requireSame(value);
                requireSame(-value);
            }
        }
    }

    private static void requireSame(double value) {
        if (Double.isFinite(value)) {
            StringBuilder json = new StringBuilder();
            JsonText.append(value, json);
            assertThat(json).hasToString(NumberOutput.toString(value, true));
        }
    }
}
