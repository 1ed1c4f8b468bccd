import { apiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { ManualClock } from '../../test/support/manual-clock';
import { DepartureSchedule } from './schedule';
import { evictingTaints, stayOf } from './tolerations';

const taint = (key: string, value = 'v', effect = 'NoExecute'): JsonObject => ({ key, value, effect });
const taints = (...list: JsonObject[]) => evictingTaints(apiObject({ metadata: { name: 'n' }, spec: { taints: list } }));
const pod = (...tolerations: JsonObject[]) => apiObject({ metadata: { name: 'p' }, spec: { tolerations } });
const EXISTS = { key: 'a', operator: 'Exists' };

test('evictingTaints returns only NoExecute taints', () => expect(taints(taint('a'), taint('b', '', 'NoSchedule'))).toHaveLength(1));

test.each<[string, readonly JsonObject[], number | 'for ever']>([
  ['no taint', [], 0],
  ['every taint', [{ operator: 'Exists' }], 'for ever'],
  ['the key', [EXISTS], 'for ever'],
  ['another key', [{ key: 'b', operator: 'Exists' }], 0],
  ['the key in the other spelling', [{ key: 'node.kubernetes.io/x', operator: 'Exists' }, EXISTS], 'for ever'],
  ['the key and the value', [{ key: 'a', value: 'v' }], 'for ever'],
  ['the key, operator, value and effect', [{ key: 'a', operator: 'Equal', value: 'v', effect: 'NoExecute' }], 'for ever'],
  ['another value', [{ key: 'a', operator: 'Equal', value: 'w' }], 0],
  ['another effect', [{ ...EXISTS, effect: 'NoSchedule' }], 0],
  ['the taint for five seconds', [{ ...EXISTS, tolerationSeconds: 5 }], 5_000],
  ['the taint for negative seconds', [{ ...EXISTS, tolerationSeconds: -5 }], 0],
  ['the taint for five seconds and again without a limit', [{ ...EXISTS, tolerationSeconds: 5 }, EXISTS], 5_000],
  ['the taint with an unknown operator', [{ key: 'a', operator: 'Like', value: 'v' }], 0],
])('stayOf calculates the stay of a pod that tolerates %s', (_, tolerations, stays) => {
  expect(stayOf(pod(...tolerations), taints(taint('a')))).toEqual(
    stays === 'for ever' ? { type: stays } : { type: 'for a time', ms: stays },
  );
});

test('stayOf requires a toleration for every taint and uses the shortest time', () => {
  const both = taints(taint('a'), taint('b'));
  expect(stayOf(pod(EXISTS), both)).toEqual({ type: 'for a time', ms: 0 });
  expect(stayOf(pod({ ...EXISTS, tolerationSeconds: 9 }, { key: 'b', operator: 'Exists', tolerationSeconds: 3 }), both)).toEqual({
    type: 'for a time',
    ms: 3_000,
  });
  expect(stayOf(pod(), taints())).toEqual({ type: 'for ever' });
});

describe('DepartureSchedule', () => {
  function world() {
    const clock = new ManualClock();
    const due: string[] = [];
    return { clock, due, schedule: new DepartureSchedule(clock, (key) => due.push(`${key}@${clock.monotonic()}`)) };
  }

  test('calls back once for a pod when its time has come', () => {
    const { clock, due, schedule } = world();
    schedule.plan('p', 'u', 5_000);
    schedule.plan('p', 'u', 1_000);
    expect(schedule.isDue('p', 'u')).toBe(false);
    clock.advance(5_000);
    schedule.plan('p', 'u', 1_000);
    expect(schedule.hasten('p', 'u')).toBe(false);
    clock.advance(60_000);
    expect(due).toEqual(['p@5000']);
    expect([schedule.isDue('p', 'u'), schedule.isDue('p', 'other')]).toEqual([true, false]);
    expect(schedule.cancel('p', 'u')).toBe(false);
  });

  test('calls back at once for a hastened pod, and returns whether one was planned', () => {
    const { due, schedule } = world();
    schedule.plan('p', 'u', 5_000);
    expect(schedule.hasten('p', 'u')).toBe(true);
    expect(schedule.hasten('q', 'u')).toBe(false);
    expect(due).toEqual(['p@0', 'q@0']);
  });

  test('does not call back for cancelled or forgotten pods', () => {
    const { clock, due, schedule } = world();
    for (const key of ['p', 'q', 'r']) schedule.plan(key, 'u', 5_000);
    expect(schedule.cancel('p', 'u')).toBe(true);
    expect(schedule.cancel('p', 'u')).toBe(false);
    schedule.forget('q');
    schedule.clear();
    clock.advance(10_000);
    expect([due, clock.pending]).toEqual([[], 0]);
  });

  test('plans another pod of the same name separately', () => {
    const { clock, due, schedule } = world();
    schedule.plan('p', 'u', 5_000);
    expect(schedule.cancel('p', 'v')).toBe(false);
    schedule.plan('p', 'v', 8_000);
    clock.advance(10_000);
    expect(due).toEqual(['p@8000']);
  });
});
