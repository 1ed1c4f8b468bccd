/** A band compared with a set, and the distribution of the numbers that it picks. */
import fc from 'fast-check';
import { Band } from './band';

const FIRST = 100;
const SIZE = 60;
/** Numbers in the band and a few outside. */
const ANY_NUMBER = { min: FIRST - 5, max: FIRST + SIZE + 5 };

describe('Band', () => {
  it('behaves as a set, picks only free numbers, and uses memory in proportion to the allocated numbers', () => {
    const operation = fc.record({
      isAllocation: fc.boolean(),
      number: fc.integer(ANY_NUMBER),
      chance: fc.double({ min: 0, max: 0.999999, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 150 }), (operations) => {
        const band = new Band(FIRST, SIZE);
        const model = new Set<number>();
        for (const { isAllocation, number, chance } of operations) {
          const isInBand = number >= FIRST && number < FIRST + SIZE;
          if (isAllocation) {
            expect(band.allocate(number)).toBe(isInBand && !model.has(number));
            if (isInBand) model.add(number);
          } else expect(band.release(number)).toBe(model.delete(number));
          expect(band.allocatedCount).toBe(model.size);
          expect(band.freeCount).toBe(SIZE - model.size);
          expect(band.displacedCount).toBeLessThanOrEqual(2 * model.size);
          const picked = band.pickFree(chance);
          if (picked === undefined) expect(model.size).toBe(SIZE);
          else expect(band.contains(picked) && !model.has(picked)).toBe(true);
        }
        for (let number = ANY_NUMBER.min; number <= ANY_NUMBER.max; number++) expect(band.has(number)).toBe(model.has(number));
      }),
      { numRuns: 60 },
    );
  });

  it('can pick every free number', () => {
    const band = new Band(0, 16);
    for (const number of [3, 0, 15, 7]) band.allocate(number);
    band.release(0);
    const picked = new Set(Array.from({ length: 1000 }, (_, index) => band.pickFree(index / 1000)));
    expect([...picked].sort((a = 0, b = 0) => a - b)).toEqual([0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14]);
  });

  it('picks the last free number of a million', () => {
    const size = 2 ** 20;
    const lastFree = 777_777;
    const band = new Band(0, size);
    for (let number = 0; number < size; number++) if (number !== lastFree) band.allocate(number);
    expect(band.pickFree(0.3)).toBe(lastFree);
    band.allocate(lastFree);
    expect(band.pickFree(0.3)).toBeUndefined();
  });
});
