/** Metadata that is replaced in encoded objects without decoding them. */
import fc from 'fast-check';
import { codecOf } from '../../shared/api/codec/codec';
import { convertedRows } from '../../test/support/objects/converted-kind';
import type { JsonObject } from '../../shared/values/json';
import { endOfUnchangedMetadata, findResourceVersion, readStoredMetadata } from './stored-metadata';

const codec = codecOf(convertedRows()[0]);
const anyMap = fc.dictionary(fc.string(), fc.string(), { maxKeys: 4, noNullPrototype: true });
const anyOwners = fc.array(fc.record({ apiVersion: fc.string(), kind: fc.string(), name: fc.string(), uid: fc.string() }), {
  maxLength: 2,
});
const anyFieldsV1 = fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.constant({}), { noNullPrototype: true }), {
  noNullPrototype: true,
});
const anyManagers = fc.array(fc.record({ manager: fc.string(), operation: fc.constant('Update'), fieldsV1: anyFieldsV1 }), {
  maxLength: 2,
});
const anyScalars = fc.record({ name: fc.string(), uid: fc.string(), generation: fc.nat() }, { requiredKeys: [] });
const anyLists = { ownerReferences: anyOwners, finalizers: fc.array(fc.string(), { maxLength: 2 }), managedFields: anyManagers };
const anyMetadata = fc
  .tuple(anyScalars, fc.record({ labels: anyMap, annotations: anyMap, ...anyLists }, { requiredKeys: [] }))
  .map(([scalars, others]): JsonObject => ({ ...scalars, ...others }));
const changedMaps = fc.record({ labels: anyMap, annotations: anyMap }, { requiredKeys: [] });

/** The stored text of an object with this metadata. */
const encode = (object: JsonObject): string => codec.encodeBody({ metadata: object, spec: { a: '"}]},"' } });

describe('readStoredMetadata', () => {
  it('replaces labels and annotations in encoded metadata exactly as the encoder writes them', () => {
    fc.assert(
      fc.property(anyMetadata, changedMaps, (before, changed) => {
        const { labels: _labels, annotations: _annotations, ...unchanged } = before;
        const expected = encode({ ...unchanged, ...changed });
        const text = readStoredMetadata(encode(before))?.withMaps(changed);
        expect(`{"metadata":${text ?? ''},"spec":{"a":"\\"}]},\\""}}`).toBe(expected);
      }),
    );
  });

  it('reads scalar fields only', () => {
    const stored = encode({ name: 'n', namespace: 's', uid: 'u', generation: 3, labels: { a: 'b' }, finalizers: ['f'] });
    expect(readStoredMetadata(stored)?.scalars).toEqual({ name: 'n', namespace: 's', uid: 'u', generation: 3, creationTimestamp: null });
  });

  it.each(['', '{"spec":{}}', '{"metadata":{"name":"a"', '{"metadata":{"name":"a', '{"metadata":null}'])(
    'returns undefined for %j',
    (text) => {
      expect(readStoredMetadata(text)).toBeUndefined();
    },
  );
});

describe('metadata in a conversion response', () => {
  const stored = encode({ name: 'é', namespace: 's', uid: 'u', resourceVersion: '17', generation: 3, annotations: { '"a': '}' } });
  const end = stored.indexOf(',"spec"');
  const sent = stored.slice('{"metadata":'.length, end).replace(',"resourceVersion":"17"', '');
  /** The result for a response with this text of metadata. */
  const unchangedEnd = (metadata: string): number | undefined => {
    const before = '{"é":';
    const after = ',"spec":{}}';
    const span = { start: Buffer.byteLength(before), end: Buffer.byteLength(before + metadata) };
    const bytes = Buffer.from(stored);
    const revision = findResourceVersion(bytes);
    if (revision === undefined) throw new Error('no revision');
    return endOfUnchangedMetadata(bytes, revision, Buffer.from(before + metadata + after), span);
  };

  it('is recognized as equal to the stored metadata', () => {
    expect(unchangedEnd(sent)).toBe(Buffer.byteLength(stored.slice(0, end)));
  });

  it.each([
    ['with another name', sent.replace('é', 'è')],
    ['with another uid', sent.replace('"u"', '"v"')],
    ['with another annotation', sent.replace('"}"', '"{"')],
    ['with an additional field', sent.replace(/}$/, ',"labels":{"a":"b"}}')],
    ['without a stored field', sent.replace('"generation":3,', '')],
    ['with a longer value', JSON.stringify({ long: 'x'.repeat(1_000) })],
    ['without fields', '{}'],
    ['that is not an object', '1'],
    ['with the resourceVersion', stored.slice('{"metadata":'.length, end)],
  ])('differs from the stored metadata when it is metadata %s', (_title, metadata) => {
    expect(metadata).not.toBe(sent);
    expect(unchangedEnd(metadata)).toBeUndefined();
  });
});

it.each(['', '{"spec":{}}', '{"metadata":{"name":"a"}}', '{"spec":{},"metadata":{"name":"a","resourceVersion":"1"}}'])(
  'findResourceVersion returns undefined for %j',
  (text) => {
    expect(findResourceVersion(Buffer.from(text))).toBeUndefined();
  },
);
