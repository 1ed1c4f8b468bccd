import { ManualClock } from '../../test/support/clock/manual-clock';
import { startReconciler } from './reconciler';

test('reconciler logs a failed pass and retries after a second', async () => {
  const clock = new ManualClock();
  const failures: unknown[] = [];
  let passes = 0;
  const reconciler = startReconciler({ clock, onFailure: (_, error) => failures.push(error) }, () => {
    passes += 1;
    return passes === 1 ? Promise.reject(new Error('broken')) : Promise.resolve(true);
  });
  // Until the retry is scheduled.
  while (clock.pending === 0) await Promise.resolve();
  expect(failures).toEqual([new Error('broken')]);
  clock.advance(1_000);
  await reconciler.complete;
  expect(passes).toBe(2);
  reconciler.stop();
});

test('reconciler runs another pass when it is triggered during one', async () => {
  const clock = new ManualClock();
  let passes = 0;
  // Starts with a pass, which is still running when it is triggered.
  const reconciler = startReconciler({ clock, onFailure: () => undefined }, async () => {
    passes += 1;
    return true;
  });
  await reconciler.trigger();
  expect(passes).toBe(2);
  reconciler.stop();
});
