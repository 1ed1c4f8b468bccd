import { StatusError } from '../../shared/api/errors/status';
import { CallLimiter } from './call-limiter';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Starts calls that end on demand: `ends` has a function for each running call, oldest first. */
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

describe('CallLimiter', () => {
  it('runs sixteen calls at a time and queues the others in order', async () => {
    const limiter = new CallLimiter();
    const { started, ends, start } = createCalls(limiter);
    const results = Array.from({ length: 20 }, (_, id) => start(id));
    await nextTurn();
    expect(started).toHaveLength(16);
    ends.shift()?.();
    await nextTurn();
    expect(started.slice(16)).toEqual([16]);
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
    // 16 calls run, and 1,000 wait.
    const results = Array.from({ length: 16 + 1_000 }, (_, id) => start(id));
    const rejection = await start(2_000).catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(StatusError);
    expect(rejection).toMatchObject({ code: 429 });
    await nextTurn();
    while (ends.length > 0) {
      for (const end of ends.splice(0)) end();
      await nextTurn();
    }
    expect(await Promise.all(results)).toHaveLength(16 + 1_000);
  });

  it('releases the slot of a failed call', async () => {
    const limiter = new CallLimiter();
    const failing = Array.from({ length: 17 }, () => limiter.runLimited(() => Promise.reject(new Error('no'))));
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(Array.from({ length: 17 }, () => 'rejected'));
    expect(await limiter.runLimited(() => Promise.resolve('yes'))).toBe('yes');
    expect(limiter.isIdle).toBe(true);
  });
});
