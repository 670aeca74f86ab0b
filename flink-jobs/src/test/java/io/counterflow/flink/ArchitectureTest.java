package io.counterflow.flink;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Set;
import org.apache.flink.api.common.functions.RichFunction;
import org.apache.flink.streaming.api.operators.StreamOperator;

@AnalyzeClasses(
        packages = "io.counterflow.flink",
        importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {

    @ArchTest
    static final ArchRule THE_JOB_MEETS_SERVING_ONLY_IN_TOPICS =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.counterflow.serving..",
                            "io.counterflow.cli..",
                            "io.counterflow.benchmarks..");

    @ArchTest
    static final ArchRule EVERY_OPERATOR_HAS_AN_IDENTITY_IN_SAVEPOINTS =
            classes()
                    .that()
                    .areAssignableTo(RichFunction.class)
                    .or()
                    .areAssignableTo(StreamOperator.class)
                    .should(haveAUid());

    @ArchTest
    static final ArchRule DECODING_AND_THE_REWARD_RULE_KNOW_NO_FLINK =
            noClasses()
                    .that()
                    .haveSimpleName("RewardRuleEvaluation")
                    .or()
                    .haveSimpleName("TimedReward")
                    .or()
                    .haveSimpleNameEndingWith("Decoder")
                    .or()
                    .haveSimpleNameEndingWith("Rules")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("org.apache.flink..");

    @ArchTest
    static final ArchRule NO_CLOCK_DECIDES_AN_OUTCOME =
            noClasses()
                    .should()
                    .callMethod(System.class, "currentTimeMillis")
                    .orShould()
                    .callMethod(System.class, "nanoTime");

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.counterflow.(**)").should().beFreeOfCycles();

    private static ArchCondition<JavaClass> haveAUid() {
        return new ArchCondition<>("have a constant UID") {
            @Override
            public void check(JavaClass operator, ConditionEvents events) {
                boolean present =
                        operator.tryGetField("UID")
                                .filter(
                                        field ->
                                                field.getRawType().isEquivalentTo(String.class)
                                                        && field.getModifiers()
                                                                .containsAll(
                                                                        Set.of(
                                                                                JavaModifier.PUBLIC,
                                                                                JavaModifier.STATIC,
                                                                                JavaModifier
                                                                                        .FINAL)))
                                .isPresent();
                events.add(
                        new SimpleConditionEvent(
                                operator,
                                present,
                                operator.getName() + (present ? " has" : " has no") + " UID"));
            }
        };
    }
}
