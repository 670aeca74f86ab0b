# The job on Flink's image, for application mode. From the root of the project:
#
#   mvn -DskipTests package && docker build -f docker/job.Dockerfile -t counterflow/job:0.1.0 .
#   docker build -f docker/job.Dockerfile --build-arg ARTIFACTS=maven -t counterflow/job:0.1.0 .
#
# The first command uses the jars that Maven has built. The second builds them in its own stage and
# needs no JDK on this machine.

ARG FLINK_IMAGE=flink:2.2.1-scala_2.12-java17
ARG MAVEN_IMAGE=maven:3.9.11-eclipse-temurin-17
# Source of the jar: built (by Maven, before) or maven (built in this file).
ARG ARTIFACTS=built

FROM scratch AS built
COPY flink-jobs/target flink-jobs/target

FROM ${MAVEN_IMAGE} AS maven
WORKDIR /
# .dockerignore leaves only sources, poms and the target directories of an earlier build.
COPY . .
RUN rm -rf */target && mvn -B -ntp -q -DskipTests -Dspotless.check.skip package -pl flink-jobs -am

FROM ${ARTIFACTS} AS artifacts

FROM ${FLINK_IMAGE}
ARG VERSION=0.1.0-SNAPSHOT
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Counterflow job" \
      org.opencontainers.image.description="Joins rewards with impressions, learns policies and rolls them out, exactly once." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# Flink's configuration, and the directories for volumes: a new volume gets the owner and the content of
# the directory that it is mounted on.
COPY docker/flink /opt/counterflow/flink
COPY docker/http-probe /opt/counterflow/bin/http-probe
COPY --chown=9999:9999 docker/volume /var/lib/counterflow
COPY --chown=9999:9999 docker/volume /var/lib/flink
COPY --from=artifacts flink-jobs/target/counterflow-job-${VERSION}.jar /opt/flink/usrlib/counterflow-job.jar

# The user flink of the image, by number, so that Kubernetes can check runAsNonRoot.
USER 9999:9999
# The entry point of the base image is kept, because the Kubernetes operator uses it. It rewrites the
# configuration at each start. With a read-only root file system, call Flink's scripts instead, as in
# compose.yaml.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["/opt/counterflow/bin/http-probe", "9249", "/metrics"]
