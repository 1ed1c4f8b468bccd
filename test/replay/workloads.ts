/**
 * Records what the reference server makes of good and bad workloads, budgets and autoscalers: all of `workloads/…`, or what the arguments name:
 *   node deploy/scripts/run.mjs test/replay/workloads.js jobs.v1.batch
 * workload-answers.test.ts replays the recordings.
 */
import { byName, recordKinds } from './record-kinds';
import { AUTOSCALERS, OLDER_AUTOSCALERS } from './workloads/autoscaler';
import { CONTROLLER_REVISIONS } from './workloads/controller-revision';
import { CRON_JOBS } from './workloads/cron-job';
import { DAEMON_SETS } from './workloads/daemon-set';
import { DEPLOYMENTS } from './workloads/deployment';
import { DISRUPTION_BUDGETS } from './workloads/disruption-budget';
import { JOBS } from './workloads/job';
import { LARGE_INTEGERS } from './workloads/large-integers';
import { POD_TEMPLATES, REPLICA_SETS, REPLICATION_CONTROLLERS } from './workloads/replica-set';
import { STATEFUL_SETS } from './workloads/stateful-set';

const KINDS = [
  AUTOSCALERS,
  OLDER_AUTOSCALERS,
  CONTROLLER_REVISIONS,
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  JOBS,
  POD_TEMPLATES,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  STATEFUL_SETS,
];

void recordKinds('workload-recordings', 'workloads', { ...byName(KINDS), ...byName(LARGE_INTEGERS, '.large-integers') });
