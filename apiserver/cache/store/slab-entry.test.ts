/** Entries in slabs: their bytes are preserved while slabs are moved, freed and compressed. */
import fc from 'fast-check';
import { deflateRawSync } from 'node:zlib';
import { SlabAllocator, type SlabEntry } from './slab-entry';

const value = (body: string): Parameters<SlabAllocator['allocate']>[1] => ({
  tableGeneration: 1,
  isDialectSensitive: false,
  header: '',
  versionOffset: 0,
  body: Buffer.from(body),
});

function allocate(slabs: SlabAllocator, text: string): SlabEntry {
  return slabs.allocate({ key: text.slice(0, 5), revision: 7, labels: {}, fields: {} }, value(text));
}

describe('SlabAllocator', () => {
  it('preserves the bytes of every entry, including released ones and views taken before a move', () => {
    const step = fc.record({ size: fc.integer({ min: 0, max: 20_000 }), release: fc.nat(), fill: fc.constantFrom('a', 'b', 'ä') });
    fc.assert(
      fc.property(fc.array(step, { minLength: 50, maxLength: 300 }), (steps) => {
        const slabs = new SlabAllocator();
        const live: { entry: SlabEntry; text: string; view: Buffer }[] = [];
        const allocated: typeof live = [];
        for (const { size, release, fill } of steps) {
          const text = `${allocated.length}:${fill.repeat(size)}`;
          const entry = allocate(slabs, text);
          const first = { entry, text: `"resourceVersion":"7",${text}`, view: entry.bytes };
          live.push(first);
          allocated.push(first);
          if (release % 3 !== 0) slabs.release(live.splice(release % live.length, 1)[0]?.entry);
        }
        return allocated.every(({ entry, text, view }) => entry.bytes.toString() === text && view.toString() === text);
      }),
      { numRuns: 30 },
    );
  });

  it('frees slabs with few live entries', () => {
    const slabs = new SlabAllocator();
    const entries = Array.from({ length: 2000 }, (_, i) => allocate(slabs, `${i}${'x'.repeat(1400)}`));
    expect(slabs.count).toBeGreaterThan(20);
    entries.forEach((entry, i) => i % 10 !== 0 && slabs.release(entry));
    expect(slabs.count).toBeLessThanOrEqual(4);
    entries.forEach((entry) => slabs.release(entry));
    expect(slabs.count).toBeLessThanOrEqual(1);
  });

  describe('with superseded large entries', () => {
    const long = 'x'.repeat(20_000);
    let pendingCompressions: (() => void)[] = [];
    const slabs = new SlabAllocator((bytes, done) => pendingCompressions.push(() => done(deflateRawSync(bytes))));
    const finishNext = (): void => pendingCompressions.shift()?.();
    beforeEach(() => (pendingCompressions = []));

    it('compresses them one after the other and returns the same bytes', () => {
      const [first, second] = [allocate(slabs, `1${long}`), allocate(slabs, `2${long}`)];
      const before = first.bytes;
      for (const entry of [first, second, first]) slabs.markSuperseded(entry);
      expect(pendingCompressions).toHaveLength(1);
      finishNext();
      finishNext();
      expect(pendingCompressions).toEqual([]);
      expect([first.isCompressed, second.isCompressed]).toEqual([true, true]);
      for (const bytes of [first.bytes, before]) expect(bytes.toString()).toBe(`"resourceVersion":"7",1${long}`);
      expect(second.bytes.toString()).toBe(`"resourceVersion":"7",2${long}`);
      for (const entry of [first, second]) slabs.release(entry);
      expect(slabs.count).toBe(0);
    });

    it('does not replace entries that were released during the compression', () => {
      const [first, second] = [allocate(slabs, `1${long}`), allocate(slabs, `2${long}`)];
      for (const entry of [first, second]) slabs.markSuperseded(entry);
      for (const entry of [first, second]) slabs.release(entry);
      finishNext();
      expect([pendingCompressions.length, first.isCompressed, second.isCompressed, slabs.count]).toEqual([0, false, false, 0]);
    });

    it('does not compress small entries', () => {
      slabs.markSuperseded(allocate(slabs, 'short'));
      expect(pendingCompressions).toEqual([]);
    });
  });
});
