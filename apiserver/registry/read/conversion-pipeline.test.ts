import { storedWidget, convertedRows } from '../../../test/support/objects/converted-kind';
import type { Entry } from '../../cache/cache';
import { ConversionPipeline } from './conversion-pipeline';

const [FIRST] = convertedRows();
const part = (name: string): readonly Entry[] => [storedWidget(FIRST, name, 1)];
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A pipeline with conversions that the test completes, and its calls in order. */
function fixture(overlaps: boolean, most = Infinity) {
  const calls: string[] = [];
  const pending: PromiseWithResolvers[] = [];
  let consumed = 0;
  const pipeline = new ConversionPipeline(
    (stored) =>
      new Promise((resolve, reject) => {
        calls.push(`asked about ${stored[0]?.key}`);
        pending.push({ resolve: () => resolve(stored), reject });
      }),
    (stored, converted) => {
      calls.push(`took ${converted[0]?.key}`);
      expect(converted).toBe(stored);
      return (consumed += 1) < most;
    },
    overlaps,
  );
  return { pipeline, calls, answer: () => pending.shift()?.resolve(), fail: (error: Error) => pending.shift()?.reject(error) };
}

interface PromiseWithResolvers {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

it('ConversionPipeline starts the next conversion before the previous one completes', async () => {
  const { pipeline, calls, answer } = fixture(true);
  expect(await pipeline.add(part('a'))).toBe(true);
  const second = pipeline.add(part('b'));
  expect(calls).toEqual(['asked about n/a', 'asked about n/b']);
  answer();
  expect(await second).toBe(true);
  const last = pipeline.flush();
  answer();
  expect(await last).toBe(true);
  expect(calls.slice(2)).toEqual(['took n/a', 'took n/b']);
});

it('ConversionPipeline without overlap converts one part at a time and stops when the consumer does', async () => {
  const { pipeline, calls, answer } = fixture(false, 1);
  const first = pipeline.add(part('a'));
  await nextTurn();
  answer();
  expect(await first).toBe(false);
  expect(calls).toEqual(['asked about n/a', 'took n/a']);
  expect(await pipeline.flush()).toBe(true);
});

it('ConversionPipeline rejects with the first failure when the next part fails too', async () => {
  const { pipeline, fail } = fixture(true);
  await pipeline.add(part('a'));
  const second = pipeline.add(part('b'));
  fail(new Error('first'));
  fail(new Error('second'));
  await expect(second).rejects.toThrow('first');
  await nextTurn();
});
