import { storedWidget, convertedRows } from '../../../test/support/converted-kind';
import type { Entry } from '../../cache/cache';
import { ConversionLine } from './conversion-pipeline';

const [FIRST] = convertedRows();
const part = (name: string): readonly Entry[] => [storedWidget(FIRST, name, 1)];
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A line whose parts come back when they are told to, and what has happened in their order. */
function fixture(overlaps: boolean, most = Infinity) {
  const told: string[] = [];
  const waiting: PromiseWithResolvers[] = [];
  let taken = 0;
  const line = new ConversionLine(
    (stored) =>
      new Promise((resolve, reject) => {
        told.push(`asked about ${stored[0]?.key}`);
        waiting.push({ resolve: () => resolve(stored), reject });
      }),
    (stored, shown) => {
      told.push(`took ${shown[0]?.key}`);
      expect(shown).toBe(stored);
      return (taken += 1) < most;
    },
    overlaps,
  );
  return { line, told, answer: () => waiting.shift()?.resolve(), fail: (error: Error) => waiting.shift()?.reject(error) };
}

interface PromiseWithResolvers {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

it('ConversionLine starts the next conversion before the previous one completes', async () => {
  const { line, told, answer } = fixture(true);
  expect(await line.add(part('a'))).toBe(true);
  const second = line.add(part('b'));
  expect(told).toEqual(['asked about n/a', 'asked about n/b']);
  answer();
  expect(await second).toBe(true);
  const last = line.end();
  answer();
  expect(await last).toBe(true);
  expect(told.slice(2)).toEqual(['took n/a', 'took n/b']);
});

it('ConversionLine without overlap converts one part at a time and stops when the consumer does', async () => {
  const { line, told, answer } = fixture(false, 1);
  const first = line.add(part('a'));
  await settle();
  answer();
  expect(await first).toBe(false);
  expect(told).toEqual(['asked about n/a', 'took n/a']);
  expect(await line.end()).toBe(true);
});

it('ConversionLine rejects with the first failure when the next part fails too', async () => {
  const { line, fail } = fixture(true);
  await line.add(part('a'));
  const second = line.add(part('b'));
  fail(new Error('first'));
  fail(new Error('second'));
  await expect(second).rejects.toThrow('first');
  await settle();
});
