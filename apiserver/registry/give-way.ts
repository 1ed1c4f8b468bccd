/** One thread serves everyone: whoever does a lot of work for a request asks this between its steps. */
import { withPasses, type Steps } from '../../shared/values/steps';
import type { RequestContext } from './verbs';

type Turn = Pick<RequestContext, 'isTurnOver' | 'rest'>;

/** Undefined = go on; otherwise others go first, and it goes on when that resolves. */
export function giveWay(context: Turn): Promise<void> | undefined {
  return context.isTurnOver === true ? context.rest?.() : undefined;
}

/** One step after the other; others go first between them. */
export function givingWay<T>(context: Turn, steps: Steps<T>): Promise<T> {
  return withPasses(steps, () => giveWay(context));
}
