package io.counterflow.experiments.worlds;

import io.counterflow.experiments.data.ClassificationData;
import java.util.Locale;
import java.util.Optional;

/**
 * The worlds: A to F as in the project's first comparison, and some with the troubles of real
 * traffic. Their order is that of the table.
 */
enum WorldKind {
    A("20 actions from a changing pool", 100_000),
    A300("the same for longer", 300_000),
    B("starting policy at .917", 100_000),
    POOR("starting policy with wrong preferences", 100_000),
    C50("preferences flip after 50,000", 100_000),
    C200("preferences flip after 200,000", 300_000),
    D_DENSE("actions excluded at random, vectors", 100_000),
    D_HASHED("the same, named features", 100_000),
    E("200 actions, 1 to 5 %", 60_000),
    F("Fashion-MNIST, norm 1", 60_000),
    DELAYED("A, rewards 5,000 events late, 20 % lost", 100_000),
    SEASONAL("preferences cycle in 50,000", 100_000),
    DAILY("A, all actions new every 10,000", 100_000),
    USERS("A, heavy-tailed users", 100_000),
    SMALL("loops of 1,000 events", 100_000);

    private static final double GOOD_START = 0.917;

    private final String title;
    private final int events;

    WorldKind(String title, int events) {
        this.title = title;
        this.events = events;
    }

    String title() {
        return title;
    }

    /** Number of events of its stream. */
    int events() {
        return events;
    }

    /** Number of events after which a new loop starts in a new world. */
    int eventsPerLoop() {
        return this == SMALL ? 1_000 : events;
    }

    /** Number of events after which preferences flip; 0 for never. */
    int flipAt() {
        return this == C50 ? 50_000 : this == C200 ? 200_000 : 0;
    }

    boolean needsData() {
        return this == F;
    }

    /**
     * A new world.
     *
     * @param data images; needed only by {@link #F}
     */
    World world(long seed, Optional<ClassificationData> data) {
        CatalogueSettings page = CatalogueSettings.page();
        CatalogueSettings fixed = page.replacing(0, 0);
        CatalogueSettings menu = CatalogueSettings.menu();
        return switch (this) {
            case A, A300 -> new CatalogueWorld(page, false, seed);
            case B -> new CatalogueWorld(fixed, false, seed).startingAt(GOOD_START);
            case POOR -> new CatalogueWorld(fixed, false, seed).startingWrong(GOOD_START);
            case C50, C200 -> new CatalogueWorld(menu.flipping(flipAt()), false, seed);
            case D_DENSE -> new VectorWorld(false, seed);
            case D_HASHED -> new VectorWorld(true, seed);
            case E -> new CatalogueWorld(CatalogueSettings.shop(), false, seed);
            case F -> {
                ClassificationData images = data.orElseThrow();
                yield new ImageWorld(images.train(), images.classes(), seed);
            }
            case DELAYED -> new CatalogueWorld(page, false, seed).delayed(5_000, 0.2);
            case SEASONAL -> new CatalogueWorld(menu.seasonal(50_000), false, seed);
            case DAILY -> new CatalogueWorld(page.replacing(0, 10_000), false, seed);
            case USERS -> new CatalogueWorld(page, true, seed);
            case SMALL -> new CatalogueWorld(menu, false, seed);
        };
    }

    /** Its name in options and results, such as {@code d-dense}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
