package io.counterflow.e2e;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Rules that span modules: the main classes of all modules together. */
@AnalyzeClasses(packages = "io.counterflow", importOptions = ArchitectureTest.MainClasses.class)
final class ArchitectureTest {

    /** Neither the classes of this module nor those of test jars. */
    static final class MainClasses implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/") && !location.contains("-tests.jar");
        }
    }

    /** The API of the client module, which applications use. */
    private static final Set<String> CLIENT_API =
            Set.of("io.counterflow.client", "io.counterflow.client.local");

    /** Classes that Avro generates are public. */
    private static final String GENERATED = "io.counterflow.schemas.record";

    private static final String GENERATED_BY_JMH = ".jmh_generated";

    /** Types that are public although no main class of another package refers to them. */
    private static final Set<String> EXCEPTIONS =
            Set.of(
                    // The compiler copies their constants into the classes that use them.
                    "io.counterflow.cli.console.ExitCode",
                    "io.counterflow.cli.console.GroupedHelp",
                    "io.counterflow.cli.traffic.RewardPlan",
                    // Flink creates them by reflection.
                    "io.counterflow.benchmarks.streaming.JobCounters",
                    "io.counterflow.flink.event.LoopEventSerializer",
                    "io.counterflow.flink.join.Reached",
                    "io.counterflow.flink.types.WireSerializerSnapshot",
                    // The job graph takes its sources and sinks, so that a test can let one fail.
                    "io.counterflow.flink.job.CounterflowJob",
                    "io.counterflow.flink.job.FeedbackStreams",
                    "io.counterflow.flink.job.JobSinks",
                    "io.counterflow.flink.job.KafkaStreams",
                    // A component of Ingested, which other packages use.
                    "io.counterflow.flink.ingest.Refusal");

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.counterflow.(**)").should().beFreeOfCycles();

    @ArchTest
    static void allModulesAreHere(JavaClasses classes) {
        assertThat(classes.stream().map(ArchitectureTest::module).distinct())
                .as("core, schemas, flink-jobs, client, serving, cli, experiments, benchmarks")
                .hasSize(8);
    }

    @ArchTest
    static void aPackageBelongsToOneModule(JavaClasses classes) {
        Map<String, Set<String>> modules = new TreeMap<>();
        for (JavaClass type : classes) {
            modules.computeIfAbsent(type.getPackageName(), name -> new TreeSet<>())
                    .add(module(type));
        }
        modules.values().removeIf(it -> it.size() == 1);
        assertThat(modules).isEmpty();
    }

    /** The directory or the jar that a class was read from. */
    private static String module(JavaClass type) {
        String uri = type.getSource().orElseThrow().getUri().toString();
        return uri.substring(0, uri.lastIndexOf(type.getPackageName().replace('.', '/')));
    }

    @ArchTest
    static void aTypeThatNoOtherPackageUsesIsNotPublic(JavaClasses classes) {
        Set<String> used = new HashSet<>();
        for (JavaClass type : classes) {
            usedByOtherPackages(type).forEach(it -> used.add(topLevel(it)));
        }
        Set<String> unused = new TreeSet<>();
        for (JavaClass type : classes) {
            if (type.isTopLevelClass()
                    && type.getModifiers().contains(JavaModifier.PUBLIC)
                    && !type.getPackageName().equals(GENERATED)
                    && !type.getPackageName().endsWith(GENERATED_BY_JMH)
                    && !CLIENT_API.contains(type.getPackageName())
                    && !EXCEPTIONS.contains(type.getName())
                    && type.tryGetMethod("main", String[].class).isEmpty()
                    && !used.contains(type.getName())) {
                unused.add(type.getName());
            }
        }
        assertThat(unused).isEmpty();
    }

    /** The types of other packages that a class names, and those in signatures that it calls. */
    private static Stream<JavaClass> usedByOtherPackages(JavaClass type) {
        Stream<JavaClass> named =
                type.getDirectDependenciesFromSelf().stream().map(Dependency::getTargetClass);
        Stream<JavaClass> inSignatures =
                type.getCodeUnitCallsFromSelf().stream()
                        .map(JavaCodeUnitAccess::getTarget)
                        .flatMap(
                                target ->
                                        Stream.concat(
                                                Stream.of(target.getRawReturnType()),
                                                target.getRawParameterTypes().stream()));
        return Stream.concat(named, inSignatures)
                .filter(it -> !it.getPackageName().equals(type.getPackageName()));
    }

    private static String topLevel(JavaClass type) {
        int nested = type.getName().indexOf('$');
        return nested < 0 ? type.getName() : type.getName().substring(0, nested);
    }
}
