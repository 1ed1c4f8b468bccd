import { ManualClock } from '../../test/support/clock/manual-clock';
import {
  ThreadLost,
  ThreadPool,
  ThreadPoolFull,
  type JobOptions,
  type ThreadPoolLimits,
  type TransferItem,
  type WorkerThread,
} from './thread-pool';

/** A thread with responses that the test triggers. */
class FakeThread implements WorkerThread<string, string> {
  readonly jobs: string[] = [];
  readonly transferLists: (readonly TransferItem[] | undefined)[] = [];
  isStopped = false;
  private onMessage: (response: string) => void = () => undefined;
  private onError: (error: Error) => void = () => undefined;

  postMessage = (job: string, transferList?: readonly TransferItem[]): void => {
    this.jobs.push(job);
    this.transferLists.push(transferList);
  };
  on(event: 'message' | 'error', listener: ((response: string) => void) & ((error: Error) => void)): void {
    if (event === 'message') this.onMessage = listener;
    else this.onError = listener;
  }
  ref = (): void => undefined;
  unref = (): void => undefined;
  terminate = (): void => void (this.isStopped = true);
  respond = (response: string): void => this.onMessage(response);
  fail = (error: Error): void => this.onError(error);
}

function fixture(limits: Partial<ThreadPoolLimits> = {}): {
  clock: ManualClock;
  threads: FakeThread[];
  run: (job: string, options?: Partial<JobOptions>) => Promise<string>;
} {
  const clock = new ManualClock();
  const threads: FakeThread[] = [];
  const start = (): FakeThread => {
    const thread = new FakeThread();
    threads.push(thread);
    return thread;
  };
  const pool = new ThreadPool<string, string>(start, {
    threads: 1,
    jobTimeoutMs: 1_000,
    maxWaitingWeight: 3,
    idleTimeoutMs: 5_000,
    ...limits,
  });
  return { clock, threads, run: (job, options) => pool.run(job, { clock, weight: 1, ...options }) };
}

it('ThreadPool runs jobs of each flow in turn, however many jobs of another flow wait', async () => {
  const { threads, run } = fixture();
  const results = [run('a1', { flow: 'a' }), run('a2', { flow: 'a' }), run('a3', { flow: 'a' }), run('b1', { flow: 'b' })];
  for (let n = 0; n < 4; n += 1) threads[0]?.respond(String(n));
  expect(threads[0]?.jobs).toEqual(['a1', 'a2', 'b1', 'a3']);
  expect(await Promise.all(results)).toEqual(['0', '1', '3', '2']);
});

it('ThreadPool transfers memory together with its job', async () => {
  const { threads, run } = fixture();
  const memory = new ArrayBuffer(8);
  const results = [run('a'), run('b', { transferList: [memory] })];
  threads[0]?.respond('1');
  threads[0]?.respond('2');
  await Promise.all(results);
  expect(threads[0]?.transferLists).toEqual([undefined, [memory]]);
});

it('ThreadPool rejects a job when the weight of the waiting jobs would exceed the limit', async () => {
  const { threads, run } = fixture();
  const first = run('first', { weight: 3 });
  const second = run('second', { weight: 3 });
  await expect(run('third')).rejects.toBeInstanceOf(ThreadPoolFull);
  threads[0]?.respond('1');
  threads[0]?.respond('2');
  expect(await Promise.all([first, second])).toEqual(['1', '2']);
});

it('ThreadPool starts another thread after scaleUpDelayMs', async () => {
  const { clock, threads, run } = fixture({ threads: 2, scaleUpDelayMs: 300 });
  const results = [run('a'), run('b'), run('c')];
  clock.advance(299);
  expect(threads).toHaveLength(1);
  clock.advance(1);
  expect(threads.map(({ jobs }) => jobs)).toEqual([['a'], ['b']]);
  for (const thread of [...threads, threads[0]]) thread?.respond('done');
  await Promise.all(results);
});

it('ThreadPool without scaleUpDelayMs starts another thread at once', () => {
  const { threads, run } = fixture({ threads: 2 });
  void run('a');
  void run('b');
  expect(threads).toHaveLength(2);
});

it('ThreadPool starts no other thread when the first one completes the waiting jobs in time', async () => {
  const { clock, threads, run } = fixture({ threads: 2, scaleUpDelayMs: 300 });
  const results = [run('a'), run('b')];
  threads[0]?.respond('1');
  threads[0]?.respond('2');
  await Promise.all(results);
  clock.advance(300);
  expect(threads).toHaveLength(1);
});

it('ThreadPool restarts the delay for a job that arrives when no job waits', async () => {
  const { clock, threads, run } = fixture({ threads: 2, scaleUpDelayMs: 300 });
  const early = [run('a'), run('b')];
  clock.advance(200);
  threads[0]?.respond('1');
  const late = run('c');
  clock.advance(299);
  expect(threads).toHaveLength(1);
  clock.advance(1);
  expect(threads).toHaveLength(2);
  threads[0]?.respond('2');
  threads[1]?.respond('3');
  expect(await Promise.all([...early, late])).toEqual(['1', '2', '3']);
});

it('ThreadPool terminates a thread without a job after idleTimeoutMs', async () => {
  const { clock, threads, run } = fixture();
  const first = run('first');
  threads[0]?.respond('1');
  await first;
  clock.advance(4_999);
  const second = run('second');
  clock.advance(999);
  threads[0]?.respond('2');
  await second;
  expect(threads).toHaveLength(1);
  clock.advance(5_000);
  expect(threads[0]?.isStopped).toBe(true);
});

it.each([
  ['memory', Object.assign(new Error(''), { code: 'ERR_WORKER_OUT_OF_MEMORY' })],
  ['error', new Error('')],
])('ThreadPool rejects a job with the reason of the loss of its thread: %s', async (reason, error) => {
  const { threads, run } = fixture();
  const lost = run('lost').catch((rejection: unknown) => rejection);
  const next = run('next');
  threads[0]?.fail(error);
  expect(await lost).toEqual(expect.objectContaining({ reason }));
  expect(await lost).toBeInstanceOf(ThreadLost);
  threads[1]?.respond('done');
  expect(await next).toBe('done');
});
