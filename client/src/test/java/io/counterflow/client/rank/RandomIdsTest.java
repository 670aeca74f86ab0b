package io.counterflow.client.rank;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class RandomIdsTest {

    @Test
    void idsAreRandomUuidsAndDiffer() {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            String id = RandomIds.next();
            UUID uuid = UUID.fromString(id);
            assertThat(uuid.version()).isEqualTo(4);
            assertThat(uuid.variant()).isEqualTo(2);
            assertThat(ids.add(id)).isTrue();
        }
    }
}
