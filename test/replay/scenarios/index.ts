/** All scenarios, by the recording that they go into. */
import { DISRUPTION_BUDGETS } from './disruption-budgets';
import { NODE_BLACKOUT, NODES } from './nodes';
import { DEPLOYMENTS, REFUSED_DEPLOYMENT } from './deployments';
import { REFUSED_SET, REPLICA_SETS } from './replica-sets';
import { RESOURCE_QUOTAS } from './resource-quotas';
import { ACCOUNT_TOKENS } from './account-tokens';
import { BOOTSTRAP_SIGNER, TOKEN_CLEANER } from './bootstrap-tokens';
import { ENDPOINT_HINTS, ENDPOINT_SLICES } from './endpoint-slices';
import { MIRRORED_ENDPOINTS } from './mirrored-endpoints';
import { CERTIFICATES } from './certificates';
import { CONVERTED_GARBAGE, CONVERTED_OUTAGES } from './converted-garbage';
import { CUSTOM_GARBAGE, GARBAGE } from './garbage';
import { CONFORMANCE } from './conformance';
import { CRON_JOBS } from './cron-jobs';
import { JOB_EDGES } from './job-edges';
import { JOB_FAILURES } from './job-failures';
import { AUTOSCALERS } from './autoscalers';
import { AUTOSCALER_LIMITS } from './autoscaler-limits';
import { SCALED_BY_METRICS } from './scaled-by-metrics';
import { SCALED_BY_RESOURCES } from './scaled-by-resources';
import { SCALED_BY_SOME_PODS } from './scaled-by-some-pods';
import { JOBS } from './jobs';
import { FINISHED_JOBS } from './finished-jobs';
import { killedName, randomScripts, SEEDS } from './random-scripts';
import { POD_GARBAGE, POD_THRESHOLD } from './pod-garbage';
import { DAEMON_SETS } from './daemon-sets';
import { MANAGERS } from './managers';
import { STATEFUL_SETS } from './stateful-sets';
import { SERVICE_ACCOUNTS } from './service-accounts';
import type { Scenario } from './scenario';

export const SCENARIOS: ReadonlyMap<string, readonly Scenario[]> = new Map<string, readonly Scenario[]>([
  ['mirrored-endpoints', MIRRORED_ENDPOINTS],
  ['certificates', CERTIFICATES],
  ['converted-garbage', CONVERTED_GARBAGE],
  ['converted-outages', CONVERTED_OUTAGES],
  ['custom-garbage', CUSTOM_GARBAGE],
  ['finished-jobs', FINISHED_JOBS],
  ['garbage', GARBAGE],
  ['pod-garbage', POD_GARBAGE],
  ['pod-threshold', POD_THRESHOLD],
  ['service-accounts', SERVICE_ACCOUNTS],
  ['disruption-budgets', DISRUPTION_BUDGETS],
  ['resource-quotas', RESOURCE_QUOTAS],
  ['nodes', NODES],
  ['node-blackout', NODE_BLACKOUT],
  ['token-cleaner', TOKEN_CLEANER],
  ['bootstrap-signer', BOOTSTRAP_SIGNER],
  ['account-tokens', ACCOUNT_TOKENS],
  ['endpoint-slices', ENDPOINT_SLICES],
  ['endpoint-hints', ENDPOINT_HINTS],
  ['replica-sets', REPLICA_SETS],
  ['deployments', DEPLOYMENTS],
  ['conformance', CONFORMANCE],
  ['stateful-sets', STATEFUL_SETS],
  ['daemon-sets', DAEMON_SETS],
  ['jobs', [...JOBS, ...JOB_FAILURES, ...CRON_JOBS, ...JOB_EDGES]],
  ['autoscalers', AUTOSCALERS],
  ['measured-autoscalers', [...SCALED_BY_RESOURCES, ...SCALED_BY_SOME_PODS, ...SCALED_BY_METRICS, ...AUTOSCALER_LIMITS]],
  ['managers', MANAGERS],
  ['refused-pods', [REFUSED_SET, REFUSED_DEPLOYMENT]],
  ...SEEDS.map((seed) => [killedName(seed), randomScripts(seed)] as const),
]);

/** Recordings whose scenarios need more of the world than a server and its controllers: one that serves metrics, and a conversion webhook. */
export const MEASURED: ReadonlySet<string> = new Set(['measured-autoscalers']);
export const CONVERTED: ReadonlySet<string> = new Set(['converted-garbage', 'converted-outages']);
