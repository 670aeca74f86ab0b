# Sourced by the scripts beside it: how a Flink process is started from its configuration.

conf=${FLINK_CONF_DIR:-$FLINK_HOME/conf}
export FLINK_LIB_DIR=$FLINK_HOME/lib FLINK_PLUGINS_DIR=$FLINK_HOME/plugins FLINK_CONF_DIR=$conf

# What Flink's own tool says: utils COMMAND [ARG…]
utils() {
  java -XX:TieredStopAtLevel=1 -Dlog4j.configurationFile="$conf/log4j-console.properties" -cp "$FLINK_LIB_DIR/*" \
    org.apache.flink.runtime.util.bash.BashJavaUtils "$@" --configDir "$conf" |
    sed -n 's/^BASH_JAVA_UTILS_EXEC_RESULT://p'
}

# Becomes the process: run MEMORY-COMMAND CLASS [ARG…]
run() {
  local memory=$1 class=$2 resources opts
  shift 2
  mapfile -t resources < <(utils "$memory")
  opts=$(utils UPDATE_AND_GET_FLINK_CONFIGURATION -flatten | sed -n "s/^env.java.opts.all: //p" | tr -d "'\"")
  # Split into words on purpose: they hold several flags.
  # shellcheck disable=SC2086
  exec java ${resources[0]} $opts -Dlog4j.configurationFile="$conf/log4j-console.properties" -cp "$FLINK_LIB_DIR/*" \
    "$class" --configDir "$conf" ${resources[1]} "$@"
}
