/** One thread serves everyone: a computation for one request yields to the event loop when its turn is over. Decides nothing else. */
import type { Clock } from '../../shared/runtime/clock';
import { runSteps, type Steps, type YieldIfDue } from '../../shared/scheduling/steps';
import { Pace, yieldToOthers } from '../cache/pace';
import type { RequestContext } from './verbs';

type Turn = Pick<RequestContext, 'isTurnOver' | 'requeue'>;

/** For the items of a loop: a promise when the turn of the request is over. */
export function yieldIfDue(context: Turn): Promise<void> | undefined {
  return context.isTurnOver === true ? context.requeue?.() : undefined;
}

/** Runs a long computation, which yields where its turn is over between two steps. */
export async function runYielding<T>(context: Turn, steps: Steps<T>): Promise<T> {
  return runSteps(steps, () => yieldIfDue(context));
}

/** For the steps of one computation: a promise when it has gone on for some milliseconds since the last one, and its turn is over. */
export function yieldPoint(clock: Clock, context: Turn): YieldIfDue {
  const pace = new Pace(clock, () => context.requeue?.() ?? yieldToOthers(), 1);
  // Time goes by while a write waits, too; only where this very turn has been long does another request wait for it.
  return () => (context.isTurnOver !== false && pace.tired() ? pace.rest() : undefined);
}
