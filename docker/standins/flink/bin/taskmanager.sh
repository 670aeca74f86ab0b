#!/usr/bin/env bash
# taskmanager.sh start-foreground
set -euo pipefail
# shellcheck source=docker/standins/flink/bin/process.sh
. "$FLINK_HOME/bin/process.sh"
shift
run GET_TM_RESOURCE_PARAMS org.apache.flink.runtime.taskexecutor.TaskManagerRunner "$@"
