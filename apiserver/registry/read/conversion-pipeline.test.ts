import { storedWidget, convertedRows } from '../../../test/support/objects/converted-kind';
import type { Entry } from '../../cache/cache';
import { ConversionPipeline } from './conversion-pipeline';

const [FIRST] = convertedRows();
const chunk = (name: string): readonly Entry[] => [storedWidget(FIRST, name, 1)];
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A pipeline with conversions that the test completes, and its calls in order. It stops after `maxConsumed` chunks. */
function fixture({ isPipelined, maxConsumed = Infinity }: { readonly isPipelined: boolean; readonly maxConsumed?: number }) {
  const calls: string[] = [];
  const pending: PendingConversion[] = [];
  let consumed = 0;
  const pipeline = new ConversionPipeline(
    (stored) =>
      new Promise((resolve, reject) => {
        calls.push(`convert ${stored[0]?.key}`);
        pending.push({ resolve: () => resolve(stored), reject });
      }),
    (stored, converted) => {
      calls.push(`consume ${converted[0]?.key}`);
      expect(converted).toBe(stored);
      consumed += 1;
      return consumed < maxConsumed;
    },
    { isPipelined },
  );
  return { pipeline, calls, answer: () => pending.shift()?.resolve(), fail: (error: Error) => pending.shift()?.reject(error) };
}

interface PendingConversion {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

it('ConversionPipeline starts the next conversion before the previous one completes', async () => {
  const { pipeline, calls, answer } = fixture({ isPipelined: true });
  expect(await pipeline.add(chunk('a'))).toBe(true);
  const second = pipeline.add(chunk('b'));
  expect(calls).toEqual(['convert n/a', 'convert n/b']);
  answer();
  expect(await second).toBe(true);
  const last = pipeline.flush();
  answer();
  expect(await last).toBe(true);
  expect(calls.slice(2)).toEqual(['consume n/a', 'consume n/b']);
});

it('ConversionPipeline that is not pipelined converts one chunk at a time and stops when the consumer does', async () => {
  const { pipeline, calls, answer } = fixture({ isPipelined: false, maxConsumed: 1 });
  const first = pipeline.add(chunk('a'));
  await nextTurn();
  answer();
  expect(await first).toBe(false);
  expect(calls).toEqual(['convert n/a', 'consume n/a']);
  expect(await pipeline.flush()).toBe(true);
});

it('ConversionPipeline rejects with the first failure when the next chunk fails too', async () => {
  const { pipeline, fail } = fixture({ isPipelined: true });
  await pipeline.add(chunk('a'));
  const second = pipeline.add(chunk('b'));
  fail(new Error('first'));
  fail(new Error('second'));
  await expect(second).rejects.toThrow('first');
  await nextTurn();
});
