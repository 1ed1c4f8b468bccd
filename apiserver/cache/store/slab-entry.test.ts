/** Entries in slabs: their bytes are preserved while slabs are moved, freed and compressed. */
import fc from 'fast-check';
import { deflateRawSync } from 'node:zlib';
import { SlabAllocator, type SlabEntry } from './slab-entry';
import type { StoredValue } from './stored-value';

const storedValue = (body: string): StoredValue => ({
  tableGeneration: 1,
  isDialectSensitive: false,
  header: '',
  versionOffset: 0,
  body: Buffer.from(body),
});

/** Allocates an entry with the bytes `"resourceVersion":"7",<text>`. */
function allocate(slabs: SlabAllocator, text: string): SlabEntry {
  return slabs.allocate({ key: 'a', revision: 7, labels: {}, fields: {} }, storedValue(text));
}

describe('SlabAllocator', () => {
  it('preserves the bytes of every entry, including released ones and views taken before a move', () => {
    const anyStep = fc.record({
      size: fc.integer({ min: 0, max: 20_000 }),
      fill: fc.constantFrom('a', 'b', 'ä'),
      /** Modulo their number, the position of the live entry to be released; `undefined` to release none. */
      release: fc.option(fc.nat(), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 50, maxLength: 300 }), (steps) => {
        const slabs = new SlabAllocator();
        const live: SlabEntry[] = [];
        const allocated: { entry: SlabEntry; text: string; view: Buffer }[] = [];
        for (const { size, fill, release } of steps) {
          const text = `${allocated.length}:${fill.repeat(size)}`;
          const entry = allocate(slabs, text);
          live.push(entry);
          allocated.push({ entry, text: `"resourceVersion":"7",${text}`, view: entry.bytes });
          if (release !== undefined) slabs.release(live.splice(release % live.length, 1)[0]);
        }
        for (const { entry, text, view } of allocated) {
          expect(entry.bytes.toString()).toBe(text);
          expect(view.toString()).toBe(text);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('frees slabs with few live entries', () => {
    const slabs = new SlabAllocator();
    // About 2.8 MB, of which a tenth stays.
    const entries = Array.from({ length: 2000 }, (_, index) => allocate(slabs, `${index}${'x'.repeat(1400)}`));
    expect(slabs.count).toBeGreaterThan(20);
    entries.forEach((entry, index) => index % 10 !== 0 && slabs.release(entry));
    expect(slabs.count).toBeLessThanOrEqual(4);
    entries.forEach((entry) => slabs.release(entry));
    expect(slabs.count).toBeLessThanOrEqual(1);
  });

  describe('with superseded large entries', () => {
    /** Longer than 16 KiB, so that it has a slab of its own. */
    const longText = 'x'.repeat(20_000);

    /** An allocator with compressions that end when `finishNext` is called. */
    function startAllocator() {
      const pendingCompressions: (() => void)[] = [];
      const slabs = new SlabAllocator((bytes, done) => pendingCompressions.push(() => done(deflateRawSync(bytes))));
      return { slabs, pendingCompressions, finishNext: (): void => pendingCompressions.shift()?.() };
    }

    it('compresses them one after the other and returns the same bytes', () => {
      const { slabs, pendingCompressions, finishNext } = startAllocator();
      const first = allocate(slabs, `1${longText}`);
      const second = allocate(slabs, `2${longText}`);
      const viewBefore = first.bytes;
      slabs.markSuperseded(first);
      slabs.markSuperseded(second);
      // Has no effect: the entry waits already.
      slabs.markSuperseded(first);
      expect(pendingCompressions).toHaveLength(1);
      finishNext();
      finishNext();
      expect(pendingCompressions).toEqual([]);
      expect(first.isCompressed).toBe(true);
      expect(second.isCompressed).toBe(true);
      expect(first.bytes.toString()).toBe(`"resourceVersion":"7",1${longText}`);
      expect(second.bytes.toString()).toBe(`"resourceVersion":"7",2${longText}`);
      expect(viewBefore.toString()).toBe(`"resourceVersion":"7",1${longText}`);
      slabs.release(first);
      slabs.release(second);
      expect(slabs.count).toBe(0);
    });

    it('does not replace entries that were released during the compression', () => {
      const { slabs, pendingCompressions, finishNext } = startAllocator();
      const first = allocate(slabs, `1${longText}`);
      const second = allocate(slabs, `2${longText}`);
      slabs.markSuperseded(first);
      slabs.markSuperseded(second);
      slabs.release(first);
      slabs.release(second);
      finishNext();
      expect(pendingCompressions).toEqual([]);
      expect(first.isCompressed).toBe(false);
      expect(second.isCompressed).toBe(false);
      expect(slabs.count).toBe(0);
    });

    it('does not compress small entries', () => {
      const { slabs, pendingCompressions } = startAllocator();
      slabs.markSuperseded(allocate(slabs, 'short'));
      expect(pendingCompressions).toEqual([]);
    });
  });
});
