import { ManualClock } from '../../../test/support/clock/manual-clock';
import { SchedulingQueue } from './scheduling-queue';

function queueOf() {
  const clock = new ManualClock();
  const queue = new SchedulingQueue(clock, () => undefined);
  const drain = (): string[] => {
    const keys: string[] = [];
    for (let key = queue.next(); key !== undefined; key = queue.next()) keys.push(key);
    return keys;
  };
  return { clock, queue, drain };
}

describe('SchedulingQueue', () => {
  it('returns pods by priority, and those of one priority in the order of their latest addition', () => {
    const { queue, drain } = queueOf();
    queue.add('low', -1);
    queue.add('a', 5);
    queue.add('b', 5);
    queue.add('a', 5);
    expect(drain()).toEqual(['b', 'a', 'low']);
  });

  it('keeps an unschedulable pod until the cluster changes and its back-off has ended', () => {
    const { clock, queue, drain } = queueOf();
    queue.addUnschedulable('a', 0);
    clock.advance(60_000);
    expect(drain()).toEqual([]);
    queue.activateUnschedulable();
    expect(drain()).toEqual(['a']);
    queue.addUnschedulable('a', 0);
    queue.activateUnschedulable();
    expect(drain()).toEqual([]);
    clock.advance(1_999);
    expect(drain()).toEqual([]);
    clock.advance(1);
    expect(drain()).toEqual(['a']);
  });

  it('tries an unschedulable pod again after five minutes without a change', () => {
    const { clock, queue, drain } = queueOf();
    queue.addUnschedulable('a', 0);
    clock.advance(300_000);
    expect(drain()).toEqual(['a']);
  });

  it('activates only the pods that a change concerns', () => {
    const { clock, queue, drain } = queueOf();
    queue.addUnschedulable('a', 0);
    queue.addUnschedulable('b', 0);
    clock.advance(1_000);
    queue.activateUnschedulable((key) => key === 'b');
    expect(drain()).toEqual(['b']);
  });

  it('forgets a removed pod', () => {
    const { clock, queue, drain } = queueOf();
    queue.add('a', 0);
    queue.addUnschedulable('b', 0);
    queue.remove('a');
    queue.remove('b');
    clock.advance(300_000);
    expect(drain()).toEqual([]);
  });
});
