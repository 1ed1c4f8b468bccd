import { apiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { ManualClock } from '../../test/support/manual-clock';
import { DepartureSchedule } from './schedule';
import { evictingTaints, stayOf } from './tolerations';

const taint = (key: string, value = 'v', effect = 'NoExecute'): JsonObject => ({ key, value, effect });
const taints = (...list: JsonObject[]) => evictingTaints(apiObject({ metadata: { name: 'n' }, spec: { taints: list } }));
const pod = (...tolerations: JsonObject[]) => apiObject({ metadata: { name: 'p' }, spec: { tolerations } });
const EXISTS = { key: 'a', operator: 'Exists' };

test('only taints that make pods leave count', () => expect(taints(taint('a'), taint('b', '', 'NoSchedule'))).toHaveLength(1));

test.each<[string, readonly JsonObject[], number | 'for ever']>([
  ['nothing', [], 0],
  ['everything', [{ operator: 'Exists' }], 'for ever'],
  ['the key', [EXISTS], 'for ever'],
  ['another key', [{ key: 'b', operator: 'Exists' }], 0],
  ['the key in the other spelling', [{ key: 'node.kubernetes.io/x', operator: 'Exists' }, EXISTS], 'for ever'],
  ['the value', [{ key: 'a', value: 'v' }], 'for ever'],
  ['the value, said at length', [{ key: 'a', operator: 'Equal', value: 'v', effect: 'NoExecute' }], 'for ever'],
  ['another value', [{ key: 'a', operator: 'Equal', value: 'w' }], 0],
  ['another effect', [{ ...EXISTS, effect: 'NoSchedule' }], 0],
  ['it for a time', [{ ...EXISTS, tolerationSeconds: 5 }], 5_000],
  ['it for no time', [{ ...EXISTS, tolerationSeconds: -5 }], 0],
  ['it first for a time, then for ever', [{ ...EXISTS, tolerationSeconds: 5 }, EXISTS], 5_000],
  ['it in no way that is known', [{ key: 'a', operator: 'Like', value: 'v' }], 0],
])('a pod that tolerates %s', (_, tolerations, stays) => {
  expect(stayOf(pod(...tolerations), taints(taint('a')))).toEqual(
    stays === 'for ever' ? { type: stays } : { type: 'for a time', ms: stays },
  );
});

test('every taint must be tolerated, and the shortest time counts', () => {
  const both = taints(taint('a'), taint('b'));
  expect(stayOf(pod(EXISTS), both)).toEqual({ type: 'for a time', ms: 0 });
  expect(stayOf(pod({ ...EXISTS, tolerationSeconds: 9 }, { key: 'b', operator: 'Exists', tolerationSeconds: 3 }), both)).toEqual({
    type: 'for a time',
    ms: 3_000,
  });
  expect(stayOf(pod(), taints())).toEqual({ type: 'for ever' });
});

describe('the schedule', () => {
  function world() {
    const clock = new ManualClock();
    const due: string[] = [];
    return { clock, due, schedule: new DepartureSchedule(clock, (key) => due.push(`${key}@${clock.monotonic()}`)) };
  }

  test('tells once, when the time has come', () => {
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

  test('tells at once where there is no time, and says whether there was', () => {
    const { due, schedule } = world();
    schedule.plan('p', 'u', 5_000);
    expect(schedule.hasten('p', 'u')).toBe(true);
    expect(schedule.hasten('q', 'u')).toBe(false);
    expect(due).toEqual(['p@0', 'q@0']);
  });

  test('what is cancelled or forgotten is not told', () => {
    const { clock, due, schedule } = world();
    for (const key of ['p', 'q', 'r']) schedule.plan(key, 'u', 5_000);
    expect(schedule.cancel('p', 'u')).toBe(true);
    expect(schedule.cancel('p', 'u')).toBe(false);
    schedule.forget('q');
    schedule.clear();
    clock.advance(10_000);
    expect([due, clock.pending]).toEqual([[], 0]);
  });

  test('another pod of the name has a time of its own', () => {
    const { clock, due, schedule } = world();
    schedule.plan('p', 'u', 5_000);
    expect(schedule.cancel('p', 'v')).toBe(false);
    schedule.plan('p', 'v', 8_000);
    clock.advance(10_000);
    expect(due).toEqual(['p@8000']);
  });
});
