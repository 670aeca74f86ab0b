# The streaming job on Flink's image, for application mode. From the root of the project:
#
#   mvn -DskipTests package && docker build -f docker/job.Dockerfile -t counterflow/job:0.1.0 .
#   docker build -f docker/job.Dockerfile --build-arg ARTIFACTS=maven -t counterflow/job:0.1.0 .
#
# The first takes what Maven has built; the second builds it in an image of its own and needs no JDK here.

ARG FLINK_IMAGE=flink:2.2.1-scala_2.12-java17
ARG MAVEN_IMAGE=maven:3.9.11-eclipse-temurin-17
# Where the jar comes from: built, by Maven before; or maven, here.
ARG ARTIFACTS=built

FROM scratch AS built
COPY flink-jobs/target flink-jobs/target

FROM ${MAVEN_IMAGE} AS maven
WORKDIR /
# Sources and poms alone: .dockerignore leaves nothing else, but for what was built before.
COPY . .
RUN rm -rf */target && mvn -B -ntp -q -DskipTests -Dspotless.check.skip package -pl flink-jobs -am

FROM ${ARTIFACTS} AS artifacts

FROM ${FLINK_IMAGE}
ARG VERSION=0.1.0-SNAPSHOT
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Counterflow job" \
      org.opencontainers.image.description="Joins rewards with impressions, learns, judges and rolls out, exactly once." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# Flink's settings as its scripts want them, and what the job's volumes are made with: a new volume takes owner and
# content of the directory it is mounted on.
COPY docker/flink /opt/counterflow/flink
COPY docker/http-probe /opt/counterflow/bin/http-probe
COPY --chown=9999:9999 docker/volume /var/lib/counterflow
COPY --chown=9999:9999 docker/volume /var/lib/flink
COPY --from=artifacts flink-jobs/target/counterflow-job-${VERSION}.jar /opt/flink/usrlib/counterflow-job.jar

# The flink user of the image, by number, so that "runAsNonRoot" can be checked.
USER 9999:9999
# No entry point of our own: the Kubernetes operator and Flink's documentation use that of the image. It rewrites the
# configuration at each start; where the root file system is read-only, call Flink's scripts instead, as compose.yaml does.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["/opt/counterflow/bin/http-probe", "9249", "/metrics"]
