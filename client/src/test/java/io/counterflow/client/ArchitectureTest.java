package io.counterflow.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
        packages = "io.counterflow.client",
        importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {

    @ArchTest
    static final ArchRule THE_CLIENT_BRINGS_NO_WEB_SERVER_AND_NO_METRICS_LIBRARY =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.counterflow.serving..",
                            "io.counterflow.flink..",
                            "io.counterflow.cli..",
                            "io.vertx..",
                            "io.micrometer..",
                            "org.apache.flink..");

    @ArchTest
    static final ArchRule A_DECISION_KNOWS_NEITHER_HTTP_NOR_KAFKA =
            noClasses()
                    .that()
                    .haveSimpleName("Ranker")
                    .or()
                    .haveSimpleName("ServedLoop")
                    .or()
                    .haveSimpleName("LoopHistory")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("java.net.http..", "org.apache.kafka..");

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.counterflow.(**)").should().beFreeOfCycles();
}
