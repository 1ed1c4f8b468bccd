import { ManualClock, flushPromises } from '../../test/support/clock/manual-clock';
import { startReconciler } from './reconciler';

const fail = (): Promise<boolean> => Promise.reject(new Error('broken'));
const succeed = (): Promise<boolean> => Promise.resolve(true);

describe('reconciler', () => {
  it('reports a failed pass and makes the next one after a second', async () => {
    const clock = new ManualClock();
    const failures: unknown[] = [];
    const reconcile = jest.fn(succeed).mockImplementationOnce(fail);
    const reconciler = startReconciler({ clock, onFailure: (_message, error) => failures.push(error) }, reconcile);
    await flushPromises();
    expect(failures).toEqual([new Error('broken')]);
    clock.advance(999);
    expect(reconcile).toHaveBeenCalledTimes(1);
    clock.advance(1);
    await reconciler.complete;
    expect(reconcile).toHaveBeenCalledTimes(2);
  });

  it('makes the next pass a minute after a successful one', async () => {
    const clock = new ManualClock();
    const reconcile = jest.fn(succeed);
    await startReconciler({ clock, onFailure: () => undefined }, reconcile).complete;
    clock.advance(59_999);
    expect(reconcile).toHaveBeenCalledTimes(1);
    clock.advance(1);
    expect(reconcile).toHaveBeenCalledTimes(2);
  });

  it('makes another pass when it is triggered during one', async () => {
    const reconcile = jest.fn(succeed);
    const reconciler = startReconciler({ clock: new ManualClock(), onFailure: () => undefined }, reconcile);
    // The first pass is still running.
    await reconciler.trigger();
    expect(reconcile).toHaveBeenCalledTimes(2);
  });

  it('makes no further pass when it is stopped', async () => {
    const clock = new ManualClock();
    const reconciler = startReconciler({ clock, onFailure: () => undefined }, succeed);
    await reconciler.complete;
    reconciler.stop();
    expect(clock.pending).toBe(0);
  });
});
