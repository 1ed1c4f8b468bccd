/** All scenarios, by the recording that they go into. */
import { DISRUPTION_BUDGETS } from './disruption-budgets';
import { NODE_BLACKOUT, NODES } from './nodes';
import { RESOURCE_QUOTAS } from './resource-quotas';
import { ENDPOINT_SLICES } from './endpoint-slices';
import { MIRRORED_ENDPOINTS } from './mirrored-endpoints';
import { SERVICE_ACCOUNTS } from './service-accounts';
import type { Scenario } from './scenario';

export const SCENARIOS: ReadonlyMap<string, readonly Scenario[]> = new Map([
  ['endpoint-slices', ENDPOINT_SLICES],
  ['mirrored-endpoints', MIRRORED_ENDPOINTS],
  ['service-accounts', SERVICE_ACCOUNTS],
  ['disruption-budgets', DISRUPTION_BUDGETS],
  ['resource-quotas', RESOURCE_QUOTAS],
  ['nodes', NODES],
  ['node-blackout', NODE_BLACKOUT],
]);
