/** Decoding of custom resources: compared with recordings of release 1.31.1, and by properties for generated objects. */
import * as fc from 'fast-check';
import { customResourceCases, type CustomResourceCase } from '../../../test/replay/formats/recorded-custom-resources';
import { cloneJson, isObject, sortedKeys, type JsonObject, type JsonValue } from '../../values/json';
import { DecodeError } from '../types';
import { decodeCustom } from './decode-custom';
import { applySchemaDefaults, dropNulls } from './defaults';
import { pruneUnknown } from './prune';
import { propertyRuns } from '../../../test/support/property-runs';

const CASES = customResourceCases('decoding');
/** A short text of a value for the title of a test. */
const text = (value: JsonValue): string => JSON.stringify(value).slice(0, 100);

/** The result of decoding the sent object, or the message of its error. */
function decodedOrError({ schema, sent }: CustomResourceCase): { object: JsonObject; unknown: string[] } | string {
  try {
    return decodeCustom(schema, { apiVersion: 'x/v1', kind: 'Thing', ...sent });
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

describe('decodeCustom, compared with recordings of kube-apiserver', () => {
  test.each(CASES.map((recorded) => [recorded.definition, text(recorded.sent), recorded] as const))(
    'decodes a %s as recorded: %s',
    (_definition, _text, recorded) => {
      const { answer: expected, schema } = recorded;
      const actual = decodedOrError(recorded);
      if (typeof actual === 'string') {
        expect({ code: 400, message: `Thing in version "v2" cannot be handled as a Thing: ${actual}` }).toEqual(expected);
        return;
      }
      expect(expected.code).not.toBe(400);
      expect(actual.unknown.map((path) => `unknown field "${path}"`)).toEqual(expected.warnings ?? []);
      if (expected.object === undefined) return;
      applySchemaDefaults(schema, actual.object);
      const { apiVersion: _apiVersion, kind: _kind, ...rest } = actual.object;
      expect({ metadata: {}, ...rest }).toEqual(expected.object);
    },
  );
});

/** The schemas of the recorded definitions. */
const NODES = [...new Set(CASES.map(({ schema }) => schema))];

/** Generates objects with members of the definitions and unknown ones, of any type. */
function objects(): fc.Arbitrary<JsonObject> {
  const names = new Set<string>(['unknown', '__proto__']);
  const collect = (value: JsonValue): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (isObject(value))
      for (const name of sortedKeys(value)) {
        names.add(name);
        collect(value[name] ?? null);
      }
  };
  CASES.forEach(({ sent }) => collect(sent));
  const { members } = fc.letrec<{ members: JsonObject; value: JsonValue }>((tie) => ({
    members: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 6 }),
    value: fc.oneof({ maxDepth: 6 }, fc.constantFrom(null, 1, 'x', true), tie('members'), fc.array(tie('value'), { maxLength: 3 })),
  }));
  return members;
}

describe('decoding custom objects', () => {
  it('prunes, drops nulls and applies defaults idempotently', () => {
    fc.assert(
      fc.property(fc.constantFrom(...NODES), objects(), (node, object) => {
        pruneUnknown(node, object);
        dropNulls(node, object);
        applySchemaDefaults(node, object);
        const before = cloneJson<JsonObject>(object);
        expect(pruneUnknown(node, object)).toEqual([]);
        dropNulls(node, object);
        applySchemaDefaults(node, object);
        expect(object).toEqual(before);
      }),
      propertyRuns(150),
    );
  });

  it('decodes a decoded object to itself and leaves the source unchanged', () => {
    fc.assert(
      fc.property(fc.constantFrom(...NODES), objects(), (node, object) => {
        const before = cloneJson<JsonObject>(object);
        let once: JsonObject;
        try {
          once = decodeCustom(node, object).object;
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
          return;
        } finally {
          expect(object).toEqual(before);
        }
        expect(decodeCustom(node, once)).toEqual({ object: once, unknown: [] });
      }),
      propertyRuns(150),
    );
  });

  it('decodes 100,000 items with unknown fields and reports at most 1,000 of those', () => {
    const [node] = NODES;
    const list = Array.from({ length: 100_000 }, (_, index) => ({ n: 'x', [`unknown${index}`]: 1 }));
    const { unknown, object } = decodeCustom(node!, { spec: { list } });
    expect(unknown).toHaveLength(1000);
    expect(object['spec']).toEqual({ list: list.map(() => ({ n: 'x' })) });
  });
});
