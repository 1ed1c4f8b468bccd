/** From the number of pods that metrics ask for to the one that the target gets: windows that are looked back at, policies, least and most. Pure but for the history, which is only read. */
import type { ScalingHistory } from './history';
import type { AutoscalerSpec, ScalingPolicy, Rules } from './spec';

/** A condition's status, reason and message. */
export interface Said {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export interface Wish {
  readonly spec: Pick<AutoscalerSpec, 'min' | 'max' | 'behavior'>;
  readonly current: number;
  readonly wished: number;
  readonly history: Pick<ScalingHistory, 'highestWish' | 'lowestWish' | 'addedIn' | 'removedIn'>;
  /** Where the autoscaler does not say how far to look back before fewer are wanted. Milliseconds. */
  readonly downscaleMs: number;
  readonly now: number;
}

export interface Limited {
  readonly replicas: number;
  readonly able: Said;
  readonly limited: Said;
}

const MATCHES: Said = { status: 'True', reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const HELD_UP: Said = {
  status: 'True',
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const HELD_DOWN: Said = {
  status: 'True',
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const WITHIN: Said = { status: 'False', reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };
const limitedBy = (reason: string, what: string): Said => ({ status: 'True', reason, message: `the desired replica count is ${what}` });
const TOO_FEW = limitedBy('TooFewReplicas', 'less than the minimum replica count');
const TOO_MANY = limitedBy('TooManyReplicas', 'more than the maximum replica count');
const TOO_FAST_UP = limitedBy('ScaleUpLimit', 'increasing faster than the maximum scale rate');
const TOO_FAST_DOWN = limitedBy('ScaleDownLimit', 'decreasing faster than the maximum scale rate');

export function limit(wish: Wish): Limited {
  const { behavior } = wish.spec;
  return behavior === undefined ? limitPlainly(wish) : limitByRules(wish, behavior);
}

/** More than twice as many, or four, are never wanted at once without rules. */
function limitPlainly({ spec: { min, max }, current, wished, history, downscaleMs, now }: Wish): Limited {
  const held = Math.max(wished, history.highestWish(downscaleMs, now) ?? wished);
  const able = held === wished ? MATCHES : HELD_UP;
  const fastest = Math.max(2 * current, 4);
  const [most, reason] = max > fastest ? [fastest, TOO_FAST_UP] : [max, TOO_MANY];
  if (held < min) return { replicas: min, able, limited: TOO_FEW };
  if (held > most) return { replicas: most, able, limited: reason };
  return { replicas: held, able, limited: WITHIN };
}

function limitByRules(wish: Wish, { up, down }: { readonly up: Rules; readonly down: Rules }): Limited {
  const { spec, current, wished, history, downscaleMs, now } = wish;
  const lowest = Math.min(wished, history.lowestWish(up.windowMs ?? 0, now) ?? wished);
  const highest = Math.max(wished, history.highestWish(down.windowMs ?? downscaleMs, now) ?? wished);
  // Not below what was always wanted of late, not above what was ever wanted.
  const held = Math.min(Math.max(current, lowest), highest);
  const able = held === wished ? MATCHES : wished >= current ? HELD_DOWN : HELD_UP;
  if (held > current) {
    const fastest = Math.max(current, fastestUp(wish, up));
    const [most, reason] = spec.max > fastest ? [fastest, TOO_FAST_UP] : [spec.max, TOO_MANY];
    return held > most ? { replicas: most, able, limited: reason } : { replicas: held, able, limited: WITHIN };
  }
  if (held < current) {
    const fastest = Math.min(current, fastestDown(wish, down));
    const [least, reason] = spec.min < fastest ? [fastest, TOO_FAST_DOWN] : [spec.min, TOO_FEW];
    return held < least ? { replicas: least, able, limited: reason } : { replicas: held, able, limited: WITHIN };
  }
  return { replicas: held, able, limited: WITHIN };
}

/** As many as there were at the beginning of a policy's period. */
function before({ current, history, now }: Wish, { periodMs }: ScalingPolicy): number {
  return current - history.addedIn(periodMs, now) + history.removedIn(periodMs, now);
}

function fastestUp(wish: Wish, { select, policies }: Rules): number {
  const allowed = policies.map((policy) => {
    const then = before(wish, policy);
    return policy.type === 'Pods' ? then + policy.value : Math.ceil(then * (1 + policy.value / 100));
  });
  return select === 'Disabled' ? wish.current : select === 'Min' ? Math.min(...allowed) : Math.max(...allowed);
}

function fastestDown(wish: Wish, { select, policies }: Rules): number {
  const allowed = policies.map((policy) => {
    const then = before(wish, policy);
    return policy.type === 'Pods' ? then - policy.value : Math.trunc(then * (1 - policy.value / 100));
  });
  return select === 'Disabled' ? wish.current : select === 'Min' ? Math.max(...allowed) : Math.min(...allowed);
}
