/** All scenarios, by the recording that they go into. */
import { SERVICE_ACCOUNTS } from './service-accounts';
import type { Scenario } from './scenario';

export const SCENARIOS: ReadonlyMap<string, readonly Scenario[]> = new Map([['service-accounts', SERVICE_ACCOUNTS]]);
