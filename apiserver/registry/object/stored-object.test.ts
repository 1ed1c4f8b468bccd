import type { Entry } from '../../cache/cache';
import { isEntryTerminating } from './stored-object';

/** A text that looks like the metadata of a terminating object. */
const LOOKALIKE = { a: '"creationTimestamp":null,"deletionTimestamp":"x"' };

/** An entry with the metadata in the order of its members, and with the lookalike in its data. */
const entryWith = (metadata: object): Entry => ({
  key: 'a',
  revision: 1,
  bytes: Buffer.from(JSON.stringify({ metadata: { name: 'a', ...metadata }, data: LOOKALIKE })),
  labels: {},
  fields: {},
  isDialectSensitive: false,
});

describe('isEntryTerminating', () => {
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const deletionTimestamp = '2026-01-01T00:00:01Z';

  it.each([creationTimestamp, null])('returns true for a deletionTimestamp after the creationTimestamp %s', (created) => {
    const metadata = { creationTimestamp: created, deletionTimestamp, deletionGracePeriodSeconds: 0 };
    expect(isEntryTerminating(entryWith(metadata))).toBe(true);
  });

  it('returns false without a deletionTimestamp in the metadata', () => {
    expect(isEntryTerminating(entryWith({ creationTimestamp }))).toBe(false);
  });

  it('returns false for an annotation named deletionTimestamp', () => {
    expect(isEntryTerminating(entryWith({ creationTimestamp, annotations: { deletionTimestamp } }))).toBe(false);
  });
});
