/**
 * Doubles a subject five times and fits the exponent with which the cost of each operation grows. The items are added
 * in batches; the cost for each item must be constant.
 */
import { cpuSince, startCpu } from '../../support/process-usage';
import { estimate, fitExponent, type Estimate, type Point } from '../harness/statistics';
import { GROWTH_BOUNDS, type Growth, type OpenedSubject, type Subject } from './subject';

/** The costs of one operation at all sizes. */
export interface Series {
  readonly name: string;
  readonly growth: Growth;
  /** By size. Microseconds of CPU; bytes of an item. */
  readonly points: readonly Point[];
  readonly exponent: Estimate;
  /** The exponent of the last three sizes, which shows a part that grows faster and is still small. */
  readonly lastExponent: Estimate;
}

/** Over a factor of 32, the exponents of linear and of quadratic growth are far apart. */
const DOUBLINGS = 5;
/** Items between two sizes are added in as many parts, each with a cost of its own. */
const BATCHES = 3;
/** Measurements of an operation at each size; those before the first size warm it up. */
const REPEATS = 5;
const WARM_UP_REPEATS = 5;
/** Sizes of {@link Series.lastExponent}; fewer do not show an error. */
const LAST_SIZES = 3;
/** The relative error of the bytes of an item: hash tables and buffers grow in steps. */
const MEMORY_ERROR = 0.1;
/** Standard errors that an exponent may exceed its bound by. */
const TOLERATED_ERRORS = 2;
/** The exponent of the last sizes may exceed the bound by as much: there the data outgrow the caches of the processor. */
const LAST_ALLOWANCE = 0.15;

/** Whether an exponent exceeds the bound of its growth by more than chance explains. */
export function isAboveBound({ growth, exponent, lastExponent }: Series): boolean {
  const lowestLikely = ({ value, error }: Estimate): number => value - TOLERATED_ERRORS * error;
  const bound = GROWTH_BOUNDS[growth];
  return lowestLikely(exponent) > bound || lowestLikely(lastExponent) > bound + LAST_ALLOWANCE;
}

/** The sizes at which a subject is measured, ascending. */
export const sizesOf = ({ size }: Subject): readonly number[] =>
  Array.from({ length: DOUBLINGS + 1 }, (_, doublings) => size * 2 ** doublings);

/** One series for each operation, for the cost of adding an item, and for its memory. Opens and closes the subject. */
export async function measureGrowth(subject: Subject): Promise<readonly Series[]> {
  const opened = await subject.open();
  try {
    const points = new Map<string, Point[]>();
    const record = (name: string, size: number, cost: Estimate): void => {
      points.set(name, [...(points.get(name) ?? []), { size, cost }]);
    };
    const addition = `add ${subject.item}`;
    const memory = `bytes of ${subject.item}`;
    let present = 0;
    let bytes = 0;
    for (const size of sizesOf(subject)) {
      const additions = await addInBatches(opened, present, size);
      if (present === 0) await warmUp(opened);
      else record(addition, size, estimate(additions));
      const bytesNow = await opened.liveBytes();
      const itemBytes = (bytesNow - bytes) / (size - present);
      if (present > 0) record(memory, size, { value: itemBytes, error: MEMORY_ERROR * itemBytes });
      present = size;
      bytes = bytesNow;
      for (const operation of opened.operations) {
        // The first run at a size fills caches.
        await operation.measure();
        const samples: number[] = [];
        while (samples.length < REPEATS) samples.push(await operation.measure());
        record(operation.name, size, estimate(samples));
      }
    }
    const growths = new Map<string, Growth>([
      [addition, 'constant'],
      [memory, 'constant'],
      ...opened.operations.map(({ name, growth }): [string, Growth] => [name, growth]),
    ]);
    return [...growths].map(([name, growth]) => seriesOf(`${subject.name}: ${name}`, growth, points.get(name) ?? []));
  } finally {
    await opened.close();
  }
}

/** A size at which the process freed more memory than its items take has no cost and is left out. */
function seriesOf(name: string, growth: Growth, measured: readonly Point[]): Series {
  const points = measured.filter(({ cost }) => cost.value > 0);
  if (points.length < LAST_SIZES) throw new Error(`${name}: only ${points.length} sizes have a cost`);
  return { name, growth, points, exponent: fitExponent(points), lastExponent: fitExponent(points.slice(-LAST_SIZES)) };
}

/**
 * Lets V8 compile the operations at the first size. It compiles the additions then too, so that these are measured from
 * the second size on.
 */
async function warmUp({ operations }: OpenedSubject): Promise<void> {
  for (let repeat = 0; repeat < WARM_UP_REPEATS; repeat += 1) for (const operation of operations) await operation.measure();
}

/** Microseconds of CPU for each item, of each batch. */
async function addInBatches(opened: OpenedSubject, present: number, size: number): Promise<readonly number[]> {
  const samples: number[] = [];
  let from = present;
  for (let batch = 1; batch <= BATCHES; batch += 1) {
    const to = present + Math.round(((size - present) * batch) / BATCHES);
    const before = startCpu(opened.pid);
    await opened.add(from, to);
    samples.push((cpuSince(opened.pid, before) * 1e6) / (to - from));
    from = to;
  }
  return samples;
}
