/**
 * Validation of custom resources: compared with recordings of release 1.31.1, and by properties for generated objects.
 */
import * as fc from 'fast-check';
import { customResourceCases, type CustomResourceCase } from '../../../../test/replay/formats/recorded-custom-resources';
import { shortenPatterns } from '../../../../test/replay/normalize/normalize-response';
import { isObject, type JsonObject, type JsonValue } from '../../../values/json';
import { decodeCustom } from '../decode-custom';
import { applySchemaDefaults } from '../defaults';
import { readSchema } from '../read-schema';
import type { SchemaNode } from '../schema-node';
import { validateSchema } from './validate';
import { propertyRuns } from '../../../../test/support/property-runs';

/** The recorded requests that were decoded: 400 is the answer to a request with an object that cannot be decoded. */
const CASES = ['decoding', 'formats', 'updates', 'validation'].flatMap(customResourceCases).filter(({ answer }) => answer.code !== 400);
/** A short text of a value for the title of a test. */
const text = (value: JsonValue | undefined): string => (value === undefined ? '' : JSON.stringify(value).slice(0, 100));

/** The object as it reaches validation, with the members that every object has. */
function decodeAndDefault(node: SchemaNode, value: JsonObject): JsonObject {
  const { metadata } = value;
  const { object } = decodeCustom(node, {
    apiVersion: 'x/v2',
    kind: 'Thing',
    ...value,
    metadata: { name: 'x', ...(isObject(metadata) ? metadata : {}) },
  });
  applySchemaDefaults(node, object);
  return object;
}

/** The field, the reason and the message of a cause in a Status. */
type Cause = readonly string[];

/** Upstream validates members in random order, so only the errors of one field have a defined order. */
function byField(causes: readonly Cause[]): Record<string, Cause[]> {
  const byFieldName: Record<string, Cause[]> = {};
  for (const [field = '', ...rest] of causes) (byFieldName[field] ??= []).push(rest);
  return byFieldName;
}

function causes({ schema, sent, old }: CustomResourceCase): Cause[] {
  const errors = validateSchema(schema, decodeAndDefault(schema, sent), old === undefined ? undefined : decodeAndDefault(schema, old));
  return errors.map(({ reason, field, body }) => [field, reason, shortenPatterns(body)]);
}

describe('validateSchema, compared with recordings of kube-apiserver', () => {
  test.each(CASES.map((recorded) => [recorded.definition, text(recorded.old), text(recorded.sent), recorded] as const))(
    'reports the recorded causes for a %s, old object %s, new object %s',
    (_definition, _old, _sent, recorded) => {
      expect(byField(causes(recorded))).toEqual(byField(recorded.answer.causes ?? []));
    },
  );
});

it('validateSchema reports wrong types first, then errors of embedded resources, then duplicate list items', () => {
  const recorded = CASES.find(({ definition }) => definition === 'resources');
  const fields = recorded?.answer.causes?.map(([field]) => field) ?? [];
  expect(fields.slice(-3)).toEqual(['spec.embedded.apiVersion', 'spec.embedded.kind', 'spec.set[1]']);
  expect(
    causes(recorded!)
      .map(([field]) => field)
      .slice(-3),
  ).toEqual(fields.slice(-3));
});

/** The schemas of the recorded definitions, and the names of the members of their specs. */
const NODES = [...new Set(CASES.map(({ schema }) => schema))];
const MEMBERS = [...new Set(NODES.flatMap((node) => [...(node.properties.get('spec')?.properties.keys() ?? [])]))];

describe('validateSchema', () => {
  const values = fc.jsonValue({ maxDepth: 4 }).map((value) => value as JsonValue);
  const objects = fc
    .dictionary(fc.constantFrom(...MEMBERS), values, { maxKeys: 20 })
    .map((spec): JsonObject => ({ apiVersion: 'x/v2', kind: 'Thing', metadata: { name: 'x' }, spec }));

  it('does not throw, and reports no more errors on an update without changes than on a create', () => {
    fc.assert(
      fc.property(fc.nat(NODES.length - 1), objects, objects, (nodeIndex, object, old) => {
        const node = NODES[nodeIndex]!;
        validateSchema(node, object);
        validateSchema(node, object, old);
        expect(validateSchema(node, object, object).length).toBeLessThanOrEqual(validateSchema(node, object).length);
      }),
      propertyRuns(250),
    );
  });

  it('validates 20,000 map-list items, reports at most 1,000 errors, and ratchets unchanged items', () => {
    const node = readSchema({
      type: 'object',
      properties: {
        spec: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: {
            type: 'object',
            required: ['v'],
            properties: { k: { type: 'string', pattern: '^k[0-9]+$', maxLength: 9 }, v: { type: 'integer', minimum: 1 } },
            anyOf: [{ required: ['w'] }, { properties: { v: { maximum: 3 } } }],
          },
        },
      },
    });
    const itemsWith = (v: number): JsonObject => ({ spec: Array.from({ length: 20_000 }, (_, index) => ({ k: `k${index}`, v })) });
    expect(validateSchema(node, itemsWith(2))).toEqual([]);
    // 0 is below the minimum of `v`.
    expect(validateSchema(node, itemsWith(0))).toHaveLength(1000);
    expect(validateSchema(node, itemsWith(0), itemsWith(0))).toEqual([]);
    // 8 and 9 satisfy no alternative of the `anyOf`, and the items change from one to the other.
    expect(validateSchema(node, itemsWith(9), itemsWith(8))).toHaveLength(1000);
  });
});

// A backtracking implementation of these expressions would take hours.
it('validateSchema checks the format of long strings without catastrophic backtracking', () => {
  const formats = ['byte', 'date-time', 'duration', 'email', 'hostname', 'ipv6', 'isbn', 'mac', 'rgbcolor', 'uri', 'uuid'];
  for (const format of formats) {
    const node = readSchema({ type: 'object', properties: { spec: { type: 'string', format } } });
    for (const unit of ['1', '1 ', 'a.', '"', '(', ' ', 'AAAA', '%41']) {
      for (const head of ['', 'http://', '"', 'a <']) {
        expect(validateSchema(node, { spec: head + unit.repeat(200_000) + '!' }).length).toBeLessThan(2);
      }
    }
  }
});
