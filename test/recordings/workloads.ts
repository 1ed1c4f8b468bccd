/**
 * Records what the reference server makes of good and bad workloads, budgets and autoscalers, one file for each argument:
 *   node deploy/scripts/run.mjs test/recordings/workloads.js jobs > test/recordings/answers/workloads/jobs.jsonl
 * workload-answers.test.ts replays the recordings.
 */
import type { KindCases } from './kind-cases';
import { recordKinds } from './record-kinds';
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

const RECORDINGS: Readonly<Record<string, readonly KindCases[]>> = {
  autoscalers: [AUTOSCALERS, OLDER_AUTOSCALERS],
  'controller-revisions': [CONTROLLER_REVISIONS],
  'cron-jobs': [CRON_JOBS],
  'daemon-sets': [DAEMON_SETS],
  deployments: [DEPLOYMENTS],
  'disruption-budgets': [DISRUPTION_BUDGETS],
  jobs: [JOBS],
  'large-integers': LARGE_INTEGERS,
  'pod-templates': [POD_TEMPLATES],
  'replica-sets': [REPLICA_SETS],
  'replication-controllers': [REPLICATION_CONTROLLERS],
  'stateful-sets': [STATEFUL_SETS],
};

const name = process.argv[2] ?? '';
const kinds = RECORDINGS[name];
if (kinds === undefined) throw new Error(`no recording ${name}; there are ${Object.keys(RECORDINGS).join(', ')}`);
void recordKinds('workload-recordings', kinds);
