import { ManualClock } from '../../test/support/manual-clock';
import type { Steps } from '../../shared/scheduling/steps';
import { inSlices } from './slices';

test('inSlices yields to the event loop every five milliseconds', async () => {
  const clock = new ManualClock();
  const order: string[] = [];
  function* work(): Steps<string> {
    for (let step = 0; step < 7; step += 1) {
      order.push(`step ${clock.monotonic()}`);
      clock.advance(2);
      yield;
    }
    return 'done';
  }
  const other = (): void => {
    order.push('other');
    if (order.length < 12) setImmediate(other);
  };
  setImmediate(other);
  expect(await inSlices(work(), clock)).toBe('done');
  expect(order.slice(0, 9)).toEqual(['step 0', 'step 2', 'step 4', 'other', 'step 6', 'step 8', 'step 10', 'other', 'step 12']);
});
