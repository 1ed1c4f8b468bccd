/**
 * Sorts metadata of random content, and compares it with its input: nothing is lost, and every object in it is sorted by
 * name. Cases that the random metadata does not contain follow as examples.
 */
import * as fc from 'fast-check';
import { encodeBody } from '../../../shared/api/types';
import { canonicalFieldSet } from '../../../shared/patch/apply/canonical-field-set';
import { isObject, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { metadataMember } from './entry-json';
import { sortedMetadata } from './sorted-metadata';

/** Parses `"metadata":{…}` to `{ metadata: {…} }`. The keys keep their order in the text, except for integer keys. */
const parseMember = (member: Buffer): JsonValue => JSON.parse(`{${member.toString()}}`);

/**
 * Whether the keys of all objects within the value are in the order of their UTF-8 bytes, in which Go sorts strings.
 * Ignores integer keys, such as `7`: JSON.parse puts them first, so their order in the text is unknown here.
 */
function isSorted(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.every(isSorted);
  if (!isObject(value)) return true;
  const names = Object.keys(value).filter((name) => !/^\d+$/.test(name));
  const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return names.every((name, index) => name === sorted[index]) && Object.values(value).every(isSorted);
}

const anyText = fc.string({ unit: 'grapheme', maxLength: 12 });
/** Any text, or one that a scanner of JSON could mistake for the end of a value. */
const anyUnusualText = fc.oneof(
  anyText,
  fc.constantFrom('"', '\\', '\\"', '},{', '"uid":"x"', '[', ']}', '\u2028', '<&>', 'resourceVersion'),
);
const anyMap = fc.dictionary(anyUnusualText, anyUnusualText, { maxKeys: 4 });
/**
 * Numbers of one to five digits. Field sets are stored with such elements in numeric order (`v:9`, `v:10`), but sorted
 * metadata has them in the order of their texts (`v:10`, `v:9`); the two differ only for numbers of different lengths.
 */
const anyNumbers = fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 4 });
/** A `fieldsV1` in its stored form. */
const anyFieldSet = fc
  .record({ names: fc.array(anyUnusualText, { maxLength: 4 }), ports: anyNumbers, values: anyNumbers })
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

/** The member `"metadata":{…}` as it is stored. All kinds store it in the same form, so that of a ConfigMap stands for any. */
const storedMember = (metadata: JsonObject): Buffer => metadataMember(Buffer.from(encodeBody('core.v1.ConfigMap', { metadata })));

it('sortedMetadata keeps all fields of the metadata and sorts them by name', () => {
  fc.assert(
    fc.property(anyMetadata, (metadata) => {
      const member = storedMember(metadata);
      const sorted = sortedMetadata(member);
      expect(parseMember(sorted)).toEqual(parseMember(member));
      expect(isSorted(parseMember(sorted))).toBe(true);
      expect(sorted).toHaveLength(member.length);
    }),
    { numRuns: 500 },
  );
});

it('sortedMetadata sorts metadata without a name and with null, as a bookmark has it', () => {
  const member = Buffer.from('"metadata":{"resourceVersion":"5","creationTimestamp":null,"annotations":{"a":"b"}}');
  expect(sortedMetadata(member).toString()).toBe('"metadata":{"annotations":{"a":"b"},"creationTimestamp":null,"resourceVersion":"5"}');
});

it('sortedMetadata returns empty metadata unchanged', () => {
  expect(sortedMetadata(Buffer.from('"metadata":{}')).toString()).toBe('"metadata":{}');
});
