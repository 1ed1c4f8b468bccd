/** Outages that a probe measures on a manual clock, with a request every 100 ms that the test lets fail. */
import { ManualClock } from '../../support/clock/manual-clock';
import { Probe } from './probe';

test('Probe measures from the last request before a failure to the first success after it', async () => {
  const clock = new ManualClock();
  let fails = false;
  const probe = new Probe(clock, 100, () => (fails ? Promise.reject(new Error('no')) : Promise.resolve()));
  await clock.advanceAsync(200);
  fails = true;
  await clock.advanceAsync(1_000);
  fails = false;
  await clock.advanceAsync(300);
  // Those at 300 to 1,200 ms failed, between the successes at 200 and 1,300 ms.
  expect(await probe.finish()).toEqual({ sent: 16, failed: 10, longestOutage: 1.1 });
});

test('Probe counts an outage that lasts until the end', async () => {
  const clock = new ManualClock();
  const probe = new Probe(clock, 100, () => Promise.reject(new Error('no')));
  await clock.advanceAsync(450);
  expect(await probe.finish()).toEqual({ sent: 5, failed: 5, longestOutage: 0.5 });
});
