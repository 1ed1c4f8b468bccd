import { ManualClock } from '../../test/support/clock/manual-clock';
import { startReconciler } from './reconciler';

test('reconciler logs a failed pass and retries after a second', async () => {
  const clock = new ManualClock();
  const failures: unknown[] = [];
  const outcomes = [() => Promise.reject(new Error('broken')), () => Promise.resolve(true)];
  let passes = 0;
  const reconciler = startReconciler(
    { clock, onFailure: (_, error) => failures.push(error) },
    () => outcomes[passes++]?.() ?? Promise.resolve(true),
  );
  await Promise.resolve();
  while (failures.length === 0 || clock.pending === 0) await Promise.resolve();
  expect(failures).toEqual([new Error('broken')]);
  clock.advance(1_000);
  await reconciler.complete;
  expect(passes).toBe(2);
  reconciler.stop();
});

test('reconciler runs another pass when it is triggered during one', async () => {
  const clock = new ManualClock();
  let passes = 0;
  const reconciler = startReconciler({ clock, onFailure: () => undefined }, () => Promise.resolve((passes += 1) > 0));
  await reconciler.trigger();
  expect(passes).toBe(2);
  reconciler.stop();
});
