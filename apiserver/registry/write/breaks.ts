/**
 * One thread serves everyone: the write of a very large object gives way between its steps, so that nobody waits for all of them. Writes that are done in a
 * few milliseconds never do.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { Pass } from '../../../shared/runtime/steps';
import { Pace, yieldToOthers } from '../../cache/pace';
import type { RequestContext } from '../verbs';

/** Asked between two steps. */
export function breaks(clock: Clock, context: RequestContext): { readonly pass: Pass } {
  const pace = new Pace(clock, () => context.rest?.() ?? yieldToOthers(), 1);
  return { pass: () => (pace.tired() ? pace.rest() : undefined) };
}
