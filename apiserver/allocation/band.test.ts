import fc from 'fast-check';
import { Band } from './band';

describe('Band', () => {
  it('behaves as a set, chooses only free numbers, and uses memory in proportion to the taken ones', () => {
    const step = fc.record({
      isAllocation: fc.boolean(),
      number: fc.integer({ min: 95, max: 165 }),
      chance: fc.double({ min: 0, max: 0.999999, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const band = new Band(100, 60);
        const model = new Set<number>();
        for (const { isAllocation, number, chance } of steps) {
          const contained = number >= 100 && number < 160;
          if (isAllocation) {
            expect(band.allocate(number)).toBe(contained && !model.has(number));
            if (contained) model.add(number);
          } else expect(band.release(number)).toBe(model.delete(number));
          expect(band.allocatedCount).toBe(model.size);
          expect(band.freeCount).toBe(60 - model.size);
          expect(band.displacedCount).toBeLessThanOrEqual(2 * model.size);
          const chosen = band.pickFree(chance);
          if (chosen === undefined) expect(model.size).toBe(60);
          else expect(band.contains(chosen) && !model.has(chosen)).toBe(true);
        }
        for (let number = 90; number < 170; number++) expect(band.has(number)).toBe(model.has(number));
      }),
      { numRuns: 60 },
    );
  });

  it('can choose every free number', () => {
    const band = new Band(0, 16);
    for (const number of [3, 0, 15, 7]) band.allocate(number);
    band.release(0);
    const picked = new Set(Array.from({ length: 1000 }, (_, index) => band.pickFree(index / 1000)));
    expect([...picked].sort((a = 0, b = 0) => a - b)).toEqual([0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14]);
  });

  it('chooses the last free number of a million', () => {
    const size = 1 << 20;
    const band = new Band(0, size);
    for (let number = 0; number < size; number++) if (number !== 777_777) band.allocate(number);
    expect(band.pickFree(0.3)).toBe(777_777);
    band.allocate(777_777);
    expect(band.pickFree(0.3)).toBeUndefined();
  });
});
