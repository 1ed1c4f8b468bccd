/** Sorted metadata of custom objects, for generated metadata. */
import * as fc from 'fast-check';
import { encodeBody } from '../../../shared/api/types';
import { canonicalFieldSet } from '../../../shared/patch/apply/canonical-field-set';
import { isObject, type JsonValue } from '../../../shared/values/json';
import { metadataMember } from './entry-json';
import { sortedMetadata } from './sorted-metadata';

/** Parses the member as an object. JSON.parse keeps the order of keys, except for integer keys. */
const parseMember = (member: Buffer): JsonValue => JSON.parse(`{${member.toString()}}`);

function isSorted(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.every(isSorted);
  if (!isObject(value)) return true;
  const names = Object.keys(value).filter((name) => !/^\d+$/.test(name));
  const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return names.every((name, index) => name === sorted[index]) && Object.values(value).every(isSorted);
}

const anyText = fc.string({ unit: 'grapheme', maxLength: 12 });
/** A text, or one that a scanner of JSON could mistake for the end of a value. */
const anyUnusualText = fc.oneof(
  anyText,
  fc.constantFrom('"', '\\', '\\"', '},{', '"uid":"x"', '[', ']}', '\u2028', '<&>', 'resourceVersion'),
);
const anyMap = fc.dictionary(anyUnusualText, anyUnusualText, { maxKeys: 4 });
const anyElementKeys = fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 4 });
/** Managed fields in their stored form. */
const anyFieldSet = fc
  .record({ names: fc.array(anyUnusualText, { maxLength: 4 }), ports: anyElementKeys, values: anyElementKeys })
  .map(({ names, ports, values }) =>
    canonicalFieldSet({
      '.': {},
      ...Object.fromEntries(names.map((name) => [`f:${name}`, {}])),
      'f:ports': Object.fromEntries(ports.map((port) => [`k:{"port":${port},"protocol":"TCP"}`, { '.': {}, 'f:port': {} }])),
      'f:values': Object.fromEntries(values.map((value) => [`v:${value}`, {}])),
    }),
  );
const anyMetadata = fc.record(
  {
    name: fc.constant('x'),
    namespace: fc.constant('n'),
    uid: fc.constant('u'),
    resourceVersion: fc.constant('12'),
    generation: fc.nat(),
    creationTimestamp: fc.constant('2026-01-01T00:00:00Z'),
    labels: anyMap,
    annotations: anyMap,
    finalizers: fc.array(anyUnusualText, { maxLength: 3 }),
    ownerReferences: fc.array(
      fc.record({ apiVersion: anyUnusualText, kind: anyUnusualText, name: anyUnusualText, uid: anyUnusualText, controller: fc.boolean() }),
      { maxLength: 2 },
    ),
    managedFields: fc.array(
      fc.record({
        manager: anyUnusualText,
        operation: fc.constant('Update'),
        apiVersion: anyUnusualText,
        time: fc.constant('2026-01-01T00:00:00Z'),
        fieldsType: fc.constant('FieldsV1'),
        fieldsV1: anyFieldSet,
        subresource: anyUnusualText,
      }),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: ['name'] },
);

it('sortedMetadata keeps all fields of the metadata and sorts them by name', () => {
  fc.assert(
    fc.property(anyMetadata, (generated) => {
      const object = { metadata: JSON.parse(JSON.stringify(generated)) };
      const member = metadataMember(Buffer.from(encodeBody('core.v1.ConfigMap', object)));
      const sorted = sortedMetadata(member);
      expect(parseMember(sorted)).toEqual(parseMember(member));
      expect(isSorted(parseMember(sorted))).toBe(true);
      expect(sorted).toHaveLength(member.length);
    }),
    { numRuns: 500 },
  );
});

it('sortedMetadata sorts the metadata of a bookmark, which has no name', () => {
  const member = Buffer.from('"metadata":{"resourceVersion":"5","creationTimestamp":null,"annotations":{"a":"b"}}');
  expect(sortedMetadata(member).toString()).toBe('"metadata":{"annotations":{"a":"b"},"creationTimestamp":null,"resourceVersion":"5"}');
});

it('sortedMetadata returns empty metadata unchanged', () => {
  expect(sortedMetadata(Buffer.from('"metadata":{}')).toString()).toBe('"metadata":{}');
});
