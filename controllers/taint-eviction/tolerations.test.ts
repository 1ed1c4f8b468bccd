import type { CoreV1Node, CoreV1Pod, CoreV1Taint, CoreV1Toleration } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { EvictionSchedule } from './eviction-schedule';
import { noExecuteTaints, minTolerationTime } from './tolerations';

const taint = (key: string, value = 'v', effect = 'NoExecute'): CoreV1Taint => ({ key, value, effect });
const taints = (...list: CoreV1Taint[]) => noExecuteTaints(apiObject<CoreV1Node>({ metadata: { name: 'n' }, spec: { taints: list } }));
const pod = (...tolerations: CoreV1Toleration[]) => apiObject<CoreV1Pod>({ metadata: { name: 'p' }, spec: { tolerations } });
const EXISTS = { key: 'a', operator: 'Exists' };

test('noExecuteTaints returns only NoExecute taints', () => expect(taints(taint('a'), taint('b', '', 'NoSchedule'))).toHaveLength(1));

test.each<[string, readonly CoreV1Toleration[], number | 'unlimited']>([
  ['no taint', [], 0],
  ['every taint', [{ operator: 'Exists' }], 'unlimited'],
  ['the key', [EXISTS], 'unlimited'],
  ['another key', [{ key: 'b', operator: 'Exists' }], 0],
  ['the key in the other spelling', [{ key: 'node.kubernetes.io/x', operator: 'Exists' }, EXISTS], 'unlimited'],
  ['the key and the value', [{ key: 'a', value: 'v' }], 'unlimited'],
  ['the key, operator, value and effect', [{ key: 'a', operator: 'Equal', value: 'v', effect: 'NoExecute' }], 'unlimited'],
  ['another value', [{ key: 'a', operator: 'Equal', value: 'w' }], 0],
  ['another effect', [{ ...EXISTS, effect: 'NoSchedule' }], 0],
  ['the taint for five seconds', [{ ...EXISTS, tolerationSeconds: 5 }], 5_000],
  ['the taint for negative seconds', [{ ...EXISTS, tolerationSeconds: -5 }], 0],
  ['the taint for five seconds and again without a limit', [{ ...EXISTS, tolerationSeconds: 5 }, EXISTS], 5_000],
  ['the taint with an unknown operator', [{ key: 'a', operator: 'Like', value: 'v' }], 0],
])('minTolerationTime returns the limit for a pod that tolerates %s', (_, tolerations, limit) => {
  expect(minTolerationTime(pod(...tolerations), taints(taint('a')))).toEqual(
    limit === 'unlimited' ? { type: limit } : { type: 'limited', ms: limit },
  );
});

test('minTolerationTime requires a toleration for every taint and uses the shortest time', () => {
  const both = taints(taint('a'), taint('b'));
  expect(minTolerationTime(pod(EXISTS), both)).toEqual({ type: 'limited', ms: 0 });
  expect(minTolerationTime(pod({ ...EXISTS, tolerationSeconds: 9 }, { key: 'b', operator: 'Exists', tolerationSeconds: 3 }), both)).toEqual(
    {
      type: 'limited',
      ms: 3_000,
    },
  );
  expect(minTolerationTime(pod(), taints())).toEqual({ type: 'unlimited' });
});

describe('EvictionSchedule', () => {
  function setUp() {
    const clock = new ManualClock();
    const due: string[] = [];
    return { clock, due, schedule: new EvictionSchedule(clock, (key) => due.push(`${key}@${clock.monotonic()}`)) };
  }

  test('calls back once for a pod when the first of its scheduled evictions is due', () => {
    const { clock, due, schedule } = setUp();
    schedule.evictAfter('p', 'u', 5_000);
    schedule.evictAfter('p', 'u', 1_000);
    clock.advance(5_000);
    schedule.evictAfter('p', 'u', 1_000);
    clock.advance(60_000);
    expect(due).toEqual(['p@5000']);
  });

  test('keeps an eviction due, and cancels it no more, until the pod is removed', () => {
    const { clock, due, schedule } = setUp();
    schedule.evictAfter('p', 'u', 5_000);
    expect(schedule.isDue('p', 'u')).toBe(false);
    clock.advance(5_000);
    expect(schedule.isDue('p', 'u')).toBe(true);
    expect(schedule.isDue('p', 'other')).toBe(false);
    expect(schedule.evictNow('p', 'u')).toBe(false);
    expect(schedule.cancel('p', 'u')).toBe(false);
    expect(due).toEqual(['p@5000']);
    schedule.remove('p');
    expect(schedule.isDue('p', 'u')).toBe(false);
  });

  test('evictNow calls back at once, and returns whether an eviction was scheduled', () => {
    const { due, schedule } = setUp();
    schedule.evictAfter('p', 'u', 5_000);
    expect(schedule.evictNow('p', 'u')).toBe(true);
    expect(schedule.evictNow('q', 'u')).toBe(false);
    expect(due).toEqual(['p@0', 'q@0']);
  });

  test('does not call back for cancelled or removed evictions', () => {
    const { clock, due, schedule } = setUp();
    for (const key of ['p', 'q', 'r']) schedule.evictAfter(key, 'u', 5_000);
    expect(schedule.cancel('p', 'u')).toBe(true);
    expect(schedule.cancel('p', 'u')).toBe(false);
    schedule.remove('q');
    schedule.clear();
    clock.advance(10_000);
    expect(due).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('schedules another pod of the same name separately', () => {
    const { clock, due, schedule } = setUp();
    schedule.evictAfter('p', 'u', 5_000);
    expect(schedule.cancel('p', 'v')).toBe(false);
    schedule.evictAfter('p', 'v', 8_000);
    clock.advance(10_000);
    expect(due).toEqual(['p@8000']);
  });
});
