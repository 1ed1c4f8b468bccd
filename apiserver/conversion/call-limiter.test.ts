/** The limit of concurrent calls, the queue and its limit. */
import { StatusError } from '../../shared/api/errors/status';
import { CallLimiter } from './call-limiter';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Calls that end on demand: `ends` has a function that ends each running call, oldest first; `started` has the ids of the calls. */
function createCalls(limiter: CallLimiter) {
  const ends: (() => void)[] = [];
  const started: number[] = [];
  const start = (id: number): Promise<number> =>
    limiter.runLimited(async () => {
      started.push(id);
      await new Promise<void>((resolve) => ends.push(resolve));
      return id;
    });
  return { ends, started, start };
}

/** Running calls at a time. */
const MAX_RUNNING = 16;
/** Calls that wait at a time. */
const MAX_WAITING = 1_000;

describe('CallLimiter', () => {
  it('runs sixteen calls at a time and queues the others in order', async () => {
    const limiter = new CallLimiter();
    const { started, ends, start } = createCalls(limiter);
    const results = Array.from({ length: 20 }, (_, id) => start(id));
    await nextTurn();
    expect(started).toHaveLength(MAX_RUNNING);
    ends.shift()?.();
    await nextTurn();
    // The first waiting call has started.
    expect(started.slice(MAX_RUNNING)).toEqual([MAX_RUNNING]);
    while (ends.length > 0) {
      ends.shift()?.();
      await nextTurn();
    }
    expect(await Promise.all(results)).toEqual(Array.from({ length: 20 }, (_, id) => id));
    expect(started).toEqual(Array.from({ length: 20 }, (_, id) => id));
    expect(limiter.isIdle).toBe(true);
  });

  it('rejects a call with 429 when 1,000 calls wait', async () => {
    const limiter = new CallLimiter();
    const { ends, start } = createCalls(limiter);
    const results = Array.from({ length: MAX_RUNNING + MAX_WAITING }, (_, id) => start(id));
    const rejection = await start(2_000).catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(StatusError);
    expect(rejection).toMatchObject({ code: 429 });
    await nextTurn();
    while (ends.length > 0) {
      for (const end of ends.splice(0)) end();
      await nextTurn();
    }
    expect(await Promise.all(results)).toHaveLength(MAX_RUNNING + MAX_WAITING);
  });

  it('releases the slot of a failed call', async () => {
    const limiter = new CallLimiter();
    const failing = Array.from({ length: MAX_RUNNING + 1 }, () => limiter.runLimited(() => Promise.reject(new Error('no'))));
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(
      Array.from({ length: MAX_RUNNING + 1 }, () => 'rejected'),
    );
    expect(await limiter.runLimited(() => Promise.resolve('yes'))).toBe('yes');
    expect(limiter.isIdle).toBe(true);
  });
});
