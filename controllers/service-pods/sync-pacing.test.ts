import { ManualClock } from '../../test/support/clock/manual-clock';
import { SyncPacing } from './sync-pacing';

test('SyncPacing waits for a multiple of the last sync of the Service, with a limit', () => {
  const clock = new ManualClock();
  const pacing = new SyncPacing(clock);
  const sync = (key: string, ms: number): number =>
    pacing.measure(key, () => {
      clock.advance(ms);
      return ms;
    });
  expect(pacing.waitMs('n/a')).toBe(0);
  expect(sync('n/a', 10)).toBe(10);
  expect([pacing.waitMs('n/a'), pacing.waitMs('n/b')]).toEqual([40, 0]);
  sync('n/a', 2);
  expect(pacing.waitMs('n/a')).toBe(8);
  sync('n/a', 60_000);
  expect(pacing.waitMs('n/a')).toBe(500);
  pacing.forget('n/a');
  expect(pacing.waitMs('n/a')).toBe(0);
});
