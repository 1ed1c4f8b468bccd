import fc from 'fast-check';
import { deflateRawSync } from 'node:zlib';
import { Slabs, type HeldEntry } from './held-entry';

const value = (body: string): Parameters<Slabs['hold']>[1] => ({
  tableGeneration: 1,
  dialectSensitive: false,
  header: '',
  versionOffset: 0,
  body: Buffer.from(body),
});

function hold(slabs: Slabs, text: string): HeldEntry {
  return slabs.hold({ key: text.slice(0, 5), revision: 7, labels: {}, fields: {} }, value(text));
}

describe('slabs', () => {
  it('keep every entry’s bytes, also of released ones and of views that were taken before a move', () => {
    const step = fc.record({ size: fc.integer({ min: 0, max: 20_000 }), release: fc.nat(), fill: fc.constantFrom('a', 'b', 'ä') });
    fc.assert(
      fc.property(fc.array(step, { minLength: 50, maxLength: 300 }), (steps) => {
        const slabs = new Slabs();
        const held: { entry: HeldEntry; text: string; view: Buffer }[] = [];
        const all: typeof held = [];
        for (const { size, release, fill } of steps) {
          const text = `${all.length}:${fill.repeat(size)}`;
          const entry = hold(slabs, text);
          const one = { entry, text: `"resourceVersion":"7",${text}`, view: entry.bytes };
          held.push(one);
          all.push(one);
          if (release % 3 !== 0) slabs.release(held.splice(release % held.length, 1)[0]?.entry);
        }
        return all.every(({ entry, text, view }) => entry.bytes.toString() === text && view.toString() === text);
      }),
      { numRuns: 30 },
    );
  });

  it('waste little when most of what they held is gone', () => {
    const slabs = new Slabs();
    const entries = Array.from({ length: 2000 }, (_, i) => hold(slabs, `${i}${'x'.repeat(1400)}`));
    expect(slabs.count).toBeGreaterThan(20);
    entries.forEach((entry, i) => i % 10 !== 0 && slabs.release(entry));
    expect(slabs.count).toBeLessThanOrEqual(4);
    entries.forEach((entry) => slabs.release(entry));
    expect(slabs.count).toBeLessThanOrEqual(1);
  });

  describe('of long states that were replaced', () => {
    const long = 'x'.repeat(20_000);
    let finish: (() => void)[] = [];
    const slabs = new Slabs((bytes, done) => finish.push(() => done(deflateRawSync(bytes))));
    const next = (): void => finish.shift()?.();
    beforeEach(() => (finish = []));

    it('are packed one after the other, and read as before', () => {
      const [one, two] = [hold(slabs, `1${long}`), hold(slabs, `2${long}`)];
      const before = one.bytes;
      for (const entry of [one, two, one]) slabs.supersede(entry);
      expect(finish).toHaveLength(1);
      next();
      next();
      expect(finish).toEqual([]);
      expect([one.packed, two.packed]).toEqual([true, true]);
      for (const bytes of [one.bytes, before]) expect(bytes.toString()).toBe(`"resourceVersion":"7",1${long}`);
      expect(two.bytes.toString()).toBe(`"resourceVersion":"7",2${long}`);
      for (const entry of [one, two]) slabs.release(entry);
      expect(slabs.count).toBe(0);
    });

    it('stay as they are when nobody holds them any longer', () => {
      const [one, two] = [hold(slabs, `1${long}`), hold(slabs, `2${long}`)];
      for (const entry of [one, two]) slabs.supersede(entry);
      for (const entry of [one, two]) slabs.release(entry);
      next();
      expect([finish.length, one.packed, two.packed, slabs.count]).toEqual([0, false, false, 0]);
    });

    it('stay as they are when they are short', () => {
      slabs.supersede(hold(slabs, 'short'));
      expect(finish).toEqual([]);
    });
  });
});
