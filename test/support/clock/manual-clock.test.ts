/** ManualClock: timers and sleeps end only when the test advances the clock. */
import { ManualClock } from './manual-clock';

describe('ManualClock', () => {
  it('runs due timers in order, including those that timers set', () => {
    const clock = new ManualClock(1_000);
    const order: string[] = [];
    const note = (name: string) => () => void order.push(`${name}@${clock.monotonic()}`);
    clock.after(30, note('c'));
    clock.after(10, () => {
      note('a')();
      clock.after(10, note('b'));
    });
    clock.after(30, note('d'));
    clock.after(31, note('late'));
    const cancelled = clock.after(5, note('never'));
    cancelled.cancel();
    clock.advance(30);
    expect(order).toEqual(['a@10', 'b@20', 'c@30', 'd@30']);
    expect([clock.now(), clock.monotonic(), clock.pending]).toEqual([1_030, 30, 1]);
  });

  it('lets promises settle between timers', async () => {
    const clock = new ManualClock();
    const order: number[] = [];
    const loop = async (): Promise<void> => {
      for (let round = 0; round < 3; round++) {
        await clock.sleep(10);
        order.push(clock.monotonic());
      }
    };
    const running = loop();
    await clock.advanceAsync(30);
    await running;
    expect(order).toEqual([10, 20, 30]);
  });

  it('ends a sleep when its signal aborts', async () => {
    const clock = new ManualClock();
    const ending = new AbortController();
    const slept = clock.sleep(10, ending.signal);
    ending.abort();
    await slept;
    await clock.sleep(10, ending.signal);
    expect([clock.monotonic(), clock.pending]).toEqual([0, 0]);
  });
});
