package io.counterflow.e2e.failures;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A way in which a deployment fails. What is killed is started again at once. */
enum Failure {
    TASK_MANAGER_KILLED {
        @Override
        String inject(Deployment deployment, Random random) throws Exception {
            ServerProcess killed = any(deployment.taskManagers(), random);
            killed.kill();
            killed.start();
            return killed.name();
        }
    },
    LOCAL_STORAGE_LOST {
        @Override
        String inject(Deployment deployment, Random random) throws Exception {
            ServerProcess killed = any(deployment.taskManagers(), random);
            killed.kill();
            Trees.recreate(deployment.localDirectory(killed));
            killed.start();
            return killed.name();
        }
    },
    TASK_MANAGER_PAUSED {
        @Override
        String inject(Deployment deployment, Random random) throws Exception {
            return pause(any(deployment.taskManagers(), random), LONGER_THAN_HEARTBEATS);
        }
    },
    JOB_MANAGER_KILLED {
        @Override
        String inject(Deployment deployment, Random random) throws Exception {
            deployment.jobManager().kill();
            deployment.jobManager().start();
            return deployment.jobManager().name();
        }
    },
    BROKER_KILLED {
        @Override
        String inject(Deployment deployment, Random random) throws Exception {
            deployment.broker().kill();
            deployment.broker().start();
            return deployment.broker().name();
        }
    },
    BROKER_PAUSED {
        @Override
        String inject(Deployment deployment, Random random) throws Exception {
            return pause(deployment.broker(), Duration.ofSeconds(30));
        }
    },
    SERVING_KILLED {
        @Override
        String inject(Deployment deployment, Random random) throws Exception {
            ServerProcess killed = any(deployment.serving(), random);
            killed.kill();
            killed.start();
            return killed.name();
        }
    },
    ALL_KILLED {
        @Override
        String inject(Deployment deployment, Random random) throws Exception {
            for (ServerProcess process : deployment.processes()) {
                process.kill();
            }
            for (ServerProcess process : deployment.processes()) {
                process.start();
            }
            return "all processes";
        }
    },
    CHECKPOINT_DISK_FULL {
        @Override
        String inject(Deployment deployment, Random random) throws Exception {
            List<ServerProcess> limited = new ArrayList<>(deployment.taskManagers());
            limited.add(deployment.jobManager());
            for (ServerProcess process : limited) {
                process.limitFileSize(true);
            }
            TimeUnit.SECONDS.sleep(20);
            for (ServerProcess process : limited) {
                process.limitFileSize(false);
            }
            return "all of Flink";
        }
    },
    CLOCK_JUMPS {
        @Override
        String inject(Deployment deployment, Random random) throws Exception {
            Duration ahead = Duration.ofHours(random.nextBoolean() ? 1 : -1);
            deployment.setClock(ahead);
            TimeUnit.SECONDS.sleep(5);
            deployment.setClock(Duration.ZERO);
            return deployment.serving().get(1).name() + " by " + ahead;
        }
    },
    POISON {
        @Override
        String inject(Deployment deployment, Random random) {
            return Poison.send(deployment, random) + " records";
        }
    };

    /** Flink's {@code heartbeat.timeout} is 50 seconds. */
    private static final Duration LONGER_THAN_HEARTBEATS = Duration.ofSeconds(60);

    /** Makes it happen, and returns what it happened to when the cause is over. */
    abstract String inject(Deployment deployment, Random random) throws Exception;

    private static ServerProcess any(List<ServerProcess> processes, Random random) {
        return processes.get(random.nextInt(processes.size()));
    }

    private static String pause(ServerProcess process, Duration time)
            throws IOException, InterruptedException {
        process.pause();
        TimeUnit.MILLISECONDS.sleep(time.toMillis());
        process.resume();
        return process.name();
    }
}
