package io.counterflow.e2e;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

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
        assertThat(modules.values()).isNotEmpty().allSatisfy(it -> assertThat(it).hasSize(1));
    }

    /** The directory or the jar that a class was read from. */
    private static String module(JavaClass type) {
        String uri = type.getSource().orElseThrow().getUri().toString();
        return uri.substring(0, uri.lastIndexOf(type.getPackageName().replace('.', '/')));
    }
}
