/**
 * Records what the reference server makes of good and bad workloads, budgets and autoscalers, one file for each argument:
 *   node deploy/scripts/run.mjs test/recordings/workloads.js jobs > apiserver/registry/strategies/workload-answers/jobs.json
 * workload-answers.test.ts replays the recordings.
 */
import type { KindCases } from './kind-cases';
import { recordKinds } from './record-kinds';
import { AUTOSCALERS, OLDER_AUTOSCALERS } from './workloads/autoscaler';
import { CONTROLLER_REVISIONS } from './workloads/controller-revision';
import { DISRUPTION_BUDGETS } from './workloads/disruption-budget';

const RECORDINGS: Readonly<Record<string, readonly KindCases[]>> = {
  autoscalers: [AUTOSCALERS, OLDER_AUTOSCALERS],
  'controller-revisions': [CONTROLLER_REVISIONS],
  'disruption-budgets': [DISRUPTION_BUDGETS],
};

const name = process.argv[2] ?? '';
const kinds = RECORDINGS[name];
if (kinds === undefined) throw new Error(`no recording ${name}; there are ${Object.keys(RECORDINGS).join(', ')}`);
void recordKinds('workload-recordings', kinds);
