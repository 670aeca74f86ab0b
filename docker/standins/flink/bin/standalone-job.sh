#!/usr/bin/env bash
# standalone-job.sh start-foreground ARG…
set -euo pipefail
# shellcheck source=docker/standins/flink/bin/process.sh
. "$FLINK_HOME/bin/process.sh"
shift
run GET_JM_RESOURCE_PARAMS org.apache.flink.container.entrypoint.StandaloneApplicationClusterEntryPoint "$@"
