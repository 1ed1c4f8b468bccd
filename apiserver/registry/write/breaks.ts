/**
 * One thread serves everyone: the write of a very large object gives way between its steps, so that nobody waits for all of them. Writes that are done in a
 * few milliseconds never do.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { GiveWay } from '../../../shared/values/steps';
import { Pace, yieldToOthers } from '../../cache/pace';
import type { RequestContext } from '../verbs';

/** Asked between two steps. */
export function breaks(clock: Clock, context: Pick<RequestContext, 'rest' | 'isTurnOver'>): { readonly pass: GiveWay } {
  const pace = new Pace(clock, () => context.rest?.() ?? yieldToOthers(), 1);
  // Time goes by while a write waits, too; only where this very turn has been long does somebody wait for it.
  return { pass: () => (context.isTurnOver !== false && pace.tired() ? pace.rest() : undefined) };
}
