/** The pool of YAML threads, with threads that are fakes and a manual clock. */
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { StatusError } from '../../api/errors/status';
import type { WorkerThread } from '../../scheduling/thread-pool';
import { ParseError } from '../json/parse-error';
import { YamlPool, type YamlWorkerResult } from './yaml-pool';

/** A thread with results that the test triggers. */
class FakeThread implements WorkerThread<string, YamlWorkerResult> {
  readonly texts: string[] = [];
  isStopped = false;
  private readonly listeners = new Map<string, (value: never) => void>();

  postMessage = (text: string): void => void this.texts.push(text);
  on = (event: string, listener: (value: never) => void): void => void this.listeners.set(event, listener);
  ref = (): void => undefined;
  unref = (): void => undefined;
  terminate = (): void => void (this.isStopped = true);
  postResult = (result: YamlWorkerResult): void => this.listeners.get('message')?.(result as never);
  fail = (error: Error): void => this.listeners.get('error')?.(error as never);
}

const document = (value: string): YamlWorkerResult => ({ document: { value, duplicates: [] } });

function fixture(): { clock: ManualClock; threads: FakeThread[]; parse: (text: string) => Promise<unknown> } {
  const clock = new ManualClock();
  const threads: FakeThread[] = [];
  const pool = new YamlPool(() => {
    const thread = new FakeThread();
    threads.push(thread);
    return thread;
  });
  return { clock, threads, parse: (text) => pool.parse(text, clock).then(({ value }) => value) };
}

it('YamlPool parses with two reused threads, one document each at a time', async () => {
  const { clock, threads, parse } = fixture();
  const results = Promise.all(['a', 'b', 'c', 'd'].map(parse));
  expect(threads.map(({ texts }) => texts)).toEqual([['a'], ['b']]);
  threads[1]?.postResult(document('B'));
  expect(threads.map(({ texts }) => texts)).toEqual([['a'], ['b', 'c']]);
  threads[0]?.postResult(document('A'));
  threads[1]?.postResult(document('C'));
  threads[0]?.postResult(document('D'));
  expect(await results).toEqual(['A', 'B', 'C', 'D']);
  expect(clock.pending).toBe(0);
});

it('YamlPool rejects a document with 429 and a Retry-After when 18 documents of the maximal length are pending', async () => {
  const { threads, parse } = fixture();
  const longest = 'x'.repeat(3 * 1024 * 1024);
  // Two in the threads, and the sixteen that may wait.
  const results = Promise.all(Array.from({ length: 18 }, () => parse(longest)));
  const error: unknown = await parse('one too many').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 429, status: { details: { retryAfterSeconds: 1 } } });
  expect(error).toBeInstanceOf(StatusError);
  for (let n = 0; n < 18; n++) threads[n % 2]?.postResult(document(String(n)));
  expect(await results).toHaveLength(18);
});

it('YamlPool rejects only the document that takes too long or exhausts the memory of its thread', async () => {
  const { clock, threads, parse } = fixture();
  const [slow, heavy, next, last] = ['slow', 'heavy', 'next', 'last'].map(parse);
  threads[1]?.fail(Object.assign(new Error('out of memory'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }));
  await expect(heavy).rejects.toEqual(new ParseError('yaml: the document takes too much memory to parse'));
  expect(threads[2]?.texts).toEqual(['next']);
  clock.advance(4_000);
  threads[2]?.postResult(document('next'));
  expect(await next).toBe('next');
  expect(threads[2]?.texts).toEqual(['next', 'last']);
  clock.advance(1_000);
  await expect(slow).rejects.toEqual(new ParseError('yaml: the document takes too long to parse'));
  expect(threads.map(({ isStopped }) => isStopped)).toEqual([true, true, false]);
  threads[2]?.postResult(document('last'));
  expect(await last).toBe('last');
});

it('YamlPool accepts a value as JSON text from a thread', async () => {
  const { threads, parse } = fixture();
  const parsed = parse('a');
  threads[0]?.postResult({ json: '{"a":[1]}', duplicates: [] });
  expect(await parsed).toEqual({ a: [1] });
});

it('YamlPool rejects a document with the error that its thread reports', async () => {
  const { threads, parse } = fixture();
  const parsed = parse('a');
  threads[0]?.postResult({ error: 'yaml: line 2: did not find expected key' });
  await expect(parsed).rejects.toEqual(new ParseError('yaml: line 2: did not find expected key'));
});
