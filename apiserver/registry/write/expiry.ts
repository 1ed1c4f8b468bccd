/**
 * When an object of an expiring kind goes: kept in the stored header under a name that no selector can have, so that finding the expired ones costs
 * no look into bodies. Never deletes anything (bootstrap/event-expiry.ts does).
 */
import type { Entry, Labels } from '../../cache/contract';
import type { Plan } from './plan';

const EXPIRES = '$expires';

/** `ms` since 1970. Every write starts the time anew (upstream behaviour). */
export function hiddenFields(plan: Plan, ms: number, ttlSeconds: number): Labels | undefined {
  return plan.resource.row.expires === true ? { [EXPIRES]: String(Math.ceil(ms / 1000) + ttlSeconds) } : undefined;
}

/** In ms since 1970; undefined for an object that stays. */
export function expiryOf(entry: Entry): number | undefined {
  const text = entry.fields[EXPIRES];
  return text === undefined ? undefined : Number(text) * 1000;
}
