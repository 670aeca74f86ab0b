# Serving. From the root of the project:
#
#   mvn -DskipTests package && docker build -f docker/serving.Dockerfile -t counterflow/serving:0.1.0 .
#   docker build -f docker/serving.Dockerfile --build-arg ARTIFACTS=maven -t counterflow/serving:0.1.0 .
#
# The first command uses the jars that Maven has built. The second builds them in its own stage and
# needs no JDK on this machine.

ARG JRE_IMAGE=eclipse-temurin:17.0.16_8-jre-noble
ARG MAVEN_IMAGE=maven:3.9.11-eclipse-temurin-17
# Source of the jars: built (by Maven, before) or maven (built in this file).
ARG ARTIFACTS=built

FROM scratch AS built
COPY core/target core/target
COPY schemas/target schemas/target
COPY client/target client/target
COPY serving/target serving/target
COPY cli/target cli/target

FROM ${MAVEN_IMAGE} AS maven
WORKDIR /
# .dockerignore leaves only sources, poms and the target directories of an earlier build.
COPY . .
RUN rm -rf */target && mvn -B -ntp -q -DskipTests -Dspotless.check.skip package -pl cli -am

FROM ${ARTIFACTS} AS artifacts

FROM ${JRE_IMAGE} AS serving
ARG VERSION=0.1.0-SNAPSHOT
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Counterflow serving" \
      org.opencontainers.image.description="Decides over HTTP, logs every decision with its exact propensity, follows the newest policy." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# Libraries first: this layer stays the same from one release to the next.
COPY --from=artifacts serving/target/lib/ /opt/counterflow/lib/
COPY --from=artifacts \
     core/target/counterflow-core-${VERSION}.jar \
     schemas/target/counterflow-schemas-${VERSION}.jar \
     client/target/counterflow-client-${VERSION}.jar \
     serving/target/counterflow-serving-${VERSION}.jar \
     /opt/counterflow/app/
COPY docker/http-probe /opt/counterflow/bin/http-probe

# A user that does not exist on the host. It owns no file in the image and writes to /tmp only.
USER 10001:10001
WORKDIR /opt/counterflow
EXPOSE 8080 9090
# A deployment adds JVM flags with JAVA_TOOL_OPTIONS.
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=65", "-XX:+UseParallelGC", "-XX:+ExitOnOutOfMemoryError", "-Xshare:auto", "-cp", "/opt/counterflow/app/*:/opt/counterflow/lib/*", "io.counterflow.serving.Main"]
CMD ["--config", "/etc/counterflow/counterflow.yaml"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["/opt/counterflow/bin/http-probe", "9090", "/readyz"]

# Simulated users: docker build --target traffic. A separate stage, so that the serving image does not
# contain the command line.
FROM serving AS traffic
ARG VERSION=0.1.0-SNAPSHOT
LABEL org.opencontainers.image.title="Counterflow traffic" \
      org.opencontainers.image.description="Sends simulated users to a serving process."
COPY --from=artifacts cli/target/traffic-lib/ /opt/counterflow/lib/
COPY --from=artifacts cli/target/counterflow-cli-${VERSION}.jar /opt/counterflow/app/
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=65", "-XX:+UseParallelGC", "-XX:+ExitOnOutOfMemoryError", "-Xshare:auto", "-cp", "/opt/counterflow/app/*:/opt/counterflow/lib/*", "io.counterflow.cli.CounterflowTraffic"]
CMD ["traffic", "--help"]
HEALTHCHECK NONE

# The default target.
FROM serving
