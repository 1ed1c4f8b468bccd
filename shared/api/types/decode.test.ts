/**
 * Decoding of built-in kinds: type errors in upstream's words, unknown fields, nulls and limits; and, by a property, what
 * holds for any body.
 */
import fc from 'fast-check';
import { parseJsonInSteps } from '../../serialization/json/strict-json';
import { isObject, type JsonObject, type JsonValue } from '../../values/json';
import { runStepsSync } from '../../scheduling/steps';
import { decodeObject } from './decode';
import { DecodeError } from './decode-error';
import { encodeBody } from './encode';
import { readTypeMeta } from './type-meta';

/** Parses and decodes a body. The parser records the spelling of numbers, which the decoder needs. */
function decode(type: string, text: string): { object: JsonObject; unknown: string[] } {
  const { value, literals } = runStepsSync(parseJsonInSteps(Buffer.from(text)));
  return decodeObject(type, isObject(value) ? value : {}, literals);
}

const CONFIG = 'core.v1.ConfigMap';
const SERVICE = 'core.v1.Service';
const POD = 'core.v1.Pod';

/** Recorded from release 1.31.1. */
test.each([
  [CONFIG, '{"data":[]}', 'json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string'],
  [CONFIG, '{"data":{"a":true}}', 'json: cannot unmarshal bool into Go struct field ConfigMap.data of type string'],
  [CONFIG, '{"metadata":"x"}', 'json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta'],
  [CONFIG, '{"binaryData":{"a":"YQ"}}', 'illegal base64 data at input byte 0'],
  [CONFIG, '{"binaryData":{"a":1}}', 'json: cannot unmarshal number into Go struct field ConfigMap.binaryData of type []uint8'],
  [
    CONFIG,
    '{"metadata":{"generation":1.0}}',
    'json: cannot unmarshal number 1.0 into Go struct field ObjectMeta.metadata.generation of type int64',
  ],
  [
    CONFIG,
    '{"metadata":{"generation":9223372036854775808}}',
    'json: cannot unmarshal number 9223372036854775808 into Go struct field ObjectMeta.metadata.generation of type int64',
  ],
  [
    SERVICE,
    '{"spec":{"ports":[{"port":"x"}]}}',
    'json: cannot unmarshal string into Go struct field ServicePort.spec.ports.port of type int32',
  ],
  [
    SERVICE,
    '{"spec":{"ports":[{"port":1e2}]}}',
    'json: cannot unmarshal number 1e2 into Go struct field ServicePort.spec.ports.port of type int32',
  ],
  [
    SERVICE,
    '{"spec":{"type":1,"ports":"x"}}',
    'json: cannot unmarshal number into Go struct field ServiceSpec.spec.type of type v1.ServiceType',
  ],
  [
    SERVICE,
    '{"spec":{"ipFamilies":{}}}',
    'json: cannot unmarshal object into Go struct field ServiceSpec.spec.ipFamilies of type []v1.IPFamily',
  ],
  [
    SERVICE,
    '{"spec":{"ports":[{"targetPort":{}}]}}',
    'json: cannot unmarshal object into Go struct field ServicePort.spec.ports.targetPort of type int32',
  ],
  [
    SERVICE,
    '{"spec":{"type":1},"metadata":{"creationTimestamp":"abc"}}',
    'parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"',
  ],
  [
    POD,
    '{"spec":{"volumes":[{"emptyDir":1}]}}',
    'json: cannot unmarshal number into Go struct field Volume.spec.volumes.emptyDir of type v1.EmptyDirVolumeSource',
  ],
  [
    POD,
    '{"spec":{"containers":[{"livenessProbe":{"httpGet":1}}]}}',
    'json: cannot unmarshal number into Go struct field Probe.spec.containers.livenessProbe.httpGet of type v1.HTTPGetAction',
  ],
  [
    POD,
    '{"spec":{"containers":[{"resources":{"limits":"x"}}]}}',
    'json: cannot unmarshal string into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList',
  ],
])('decodeObject rejects the %s %s with the error of upstream', (type, text, message) => {
  expect(() => decode(type, text)).toThrow(new DecodeError(message));
});

test('decodeObject drops unknown fields and reports their paths in order', () => {
  const { object, unknown } = decode(SERVICE, '{"spec":{"foo":1,"ports":[{"port":1},{"port":2,"x":{"y":1}}]},"Kind":"x","kind":"Service"}');
  expect(unknown).toEqual(['spec.foo', 'spec.ports[1].x', 'Kind']);
  expect(encodeBody(SERVICE, object)).toContain('"ports":[{"port":1,"targetPort":0},{"port":2,"targetPort":0}]');
});

test('decodeObject reports at most 100 unknown fields', () => {
  const members = Array.from({ length: 300 }, (_, index) => `"x${index}":1`).join(',');
  expect(decode(CONFIG, `{${members}}`).unknown).toHaveLength(100);
});

test('decodeObject treats null as absent, and in lists and maps as the zero value', () => {
  const { object } = decode(CONFIG, '{"metadata":{"name":"a","labels":null,"finalizers":[null]},"data":{"k":null},"immutable":null}');
  expect(encodeBody(CONFIG, object)).toBe('{"metadata":{"name":"a","creationTimestamp":null,"finalizers":[""]},"data":{"k":""}}');
});

test('decodeObject returns an object that shares nothing with its source', () => {
  const source: JsonObject = { metadata: { name: 'a', labels: { x: 'y' } }, data: { k: 'v' } };
  const before = JSON.stringify(source);
  const { object } = decodeObject(CONFIG, source);
  const data = object['data'];
  if (isObject(data)) data['k'] = 'changed';
  expect(JSON.stringify(source)).toBe(before);
});

test('decodeObject treats __proto__ and constructor as ordinary keys', () => {
  const { object, unknown } = decode(
    CONFIG,
    '{"__proto__":{"polluted":1},"constructor":1,"data":{"__proto__":"1","constructor":"2","toString":"3"}}',
  );
  expect(unknown).toEqual(['__proto__', 'constructor']);
  expect(encodeBody(CONFIG, object)).toBe(
    '{"metadata":{"creationTimestamp":null},"data":{"__proto__":"1","constructor":"2","toString":"3"}}',
  );
  expect(Object.getPrototypeOf({})).not.toHaveProperty('polluted');
});

test('decodeObject keeps 64-bit integers exact', () => {
  const { object } = decode(CONFIG, '{"metadata":{"generation":9223372036854775807}}');
  expect(encodeBody(CONFIG, object)).toContain('"generation":9223372036854775807');
});

test('readTypeMeta reads kind and apiVersion from any body and rejects those that are not strings', () => {
  expect(readTypeMeta({ kind: 'Pod', apiVersion: 'v1' })).toEqual({ kind: 'Pod', apiVersion: 'v1' });
  expect(readTypeMeta(null)).toEqual({ kind: '', apiVersion: '' });
  expect(() => readTypeMeta([])).toThrow(
    /^couldn't get version\/kind; json parse error: json: cannot unmarshal array into Go value of type struct/,
  );
  expect(() => readTypeMeta({ kind: 1 })).toThrow('json: cannot unmarshal number into Go struct field .kind of type string');
});

describe('decodeObject, for free-form values', () => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const configWithFieldSet = (fieldSet: string): string => `{"metadata":{"managedFields":[{"fieldsV1":${fieldSet}}]}}`;

  test('accepts a nesting depth of 1000', () => {
    const { object } = decode(CONFIG, configWithFieldSet(nested(1000)));
    expect(encodeBody(CONFIG, object)).toContain(`"fieldsV1":${nested(1000)}`);
  });

  test('rejects a nesting depth of 9000', () => {
    expect(() => decode(CONFIG, configWithFieldSet(nested(9000)))).toThrow(new DecodeError('exceeded max depth'));
  });
});

describe('decodeObject, for fields of a schema that hold a schema or another type', () => {
  const DEFINITION = 'apiextensions.v1.CustomResourceDefinition';
  /** A definition in which the property `a` has the schema. */
  const within = (schema: string): string => `{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":${schema}}}}}]}}`;
  /** The schema of the property `a`, as it is printed in the definition that was sent with `schema`. */
  const decodeAndEncode = (schema: string): string => {
    const text = encodeBody(DEFINITION, decode(DEFINITION, within(schema)).object);
    return /"properties":\{"a":(.*?)\}\}\}\}\]/.exec(text)?.[1] ?? text;
  };

  /** Recorded from release 1.31.1. */
  test.each<readonly [string, string]>([
    ['{"additionalProperties":true}', '{"additionalProperties":true}'],
    ['{"additionalProperties":false}', '{"additionalProperties":false}'],
    ['{"additionalProperties":null}', '{}'],
    ['{"additionalProperties":{"type":"string","foo":1}}', '{"additionalProperties":{"type":"string"}}'],
    ['{"items":true,"type":"string"}', '{"type":"string"}'],
    ['{"items":[],"type":"string"}', '{"type":"string"}'],
    ['{"enum":[null,"a",0,"",false],"default":null,"example":null}', '{"enum":[null,"a",0,"",false]}'],
    [
      '{"default":{"b":1.0,"a":[2.50,1e3,null,{"d":1,"c":12345678901234567890}]}}',
      '{"default":{"a":[2.5,1000,null,{"c":12345678901234567000,"d":1}],"b":1}}',
    ],
    ['{"default":{"b":9007199254740993,"c":1e21,"d":0.0000001,"e":-0}}', '{"default":{"b":9007199254740993,"c":1e+21,"d":1e-7,"e":0}}'],
    ['{"default":"<x>&"}', '{"default":"\\u003cx\\u003e\\u0026"}'],
    ['{"minimum":10000000000000000000000,"maximum":1.50,"maxLength":0}', '{"maximum":1.5,"minimum":1e+22,"maxLength":0}'],
  ])('prints %s as recorded', (sent, printed) => {
    expect(decodeAndEncode(sent)).toBe(printed);
  });

  const at = 'into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties';
  test.each<readonly [string, string]>([
    ['{"additionalProperties":"x"}', 'boolean or JSON schema expected'],
    ['{"type":"array","items":{"additionalProperties":4}}', 'boolean or JSON schema expected'],
    ['{"additionalProperties":{"type":1}}', `json: cannot unmarshal number ${at}.additionalProperties of type string`],
    ['{"additionalProperties":{"items":{"minLength":"x"}}}', `json: cannot unmarshal string ${at}.additionalProperties of type int64`],
    ['{"additionalProperties":{"required":{"a":1},"type":5}}', `json: cannot unmarshal object ${at}.additionalProperties of type []string`],
    ['{"items":[1]}', `json: cannot unmarshal number ${at}.items of type v1.JSONSchemaProps`],
    ['{"dependencies":{"x":["s",1]}}', `json: cannot unmarshal number ${at}.dependencies of type string`],
    [
      '{"type":1,"properties":{"b":{"additionalProperties":{"type":2}}}}',
      `json: cannot unmarshal number ${at}.properties.additionalProperties of type string`,
    ],
    ['{"default":{"a":1e999}}', 'json: cannot unmarshal number 1e999 into Go value of type float64'],
    ['{"minimum":1e400}', `json: cannot unmarshal number 1e400 ${at}.minimum of type float64`],
  ])('rejects %s with the error of upstream', (sent, message) => {
    expect(() => decode(DEFINITION, within(sent))).toThrow(new DecodeError(message));
  });
});

const json: fc.Arbitrary<JsonValue> = fc.jsonValue({ maxDepth: 4 }).map((value): JsonValue => JSON.parse(JSON.stringify(value)));
const names = fc.constantFrom('metadata', 'spec', 'data', 'ports', 'port', 'containers', 'name', 'labels', 'x', 'volumes', 'status');
const shaped: fc.Arbitrary<JsonObject> = fc.dictionary(
  names,
  fc.oneof(json, fc.array(fc.dictionary(names, json)), fc.dictionary(names, json)),
);

test('decodeObject throws a DecodeError or returns an object that encodes and decodes to itself, whatever is sent', () => {
  fc.assert(
    fc.property(fc.constantFrom(CONFIG, SERVICE, POD, 'core.v1.Node', 'core.v1.Event'), shaped, (type, value) => {
      let object: JsonObject;
      try {
        ({ object } = decodeObject(type, value));
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError);
        return;
      }
      const text = encodeBody(type, object);
      const again: JsonValue = JSON.parse(text);
      const { object: second, unknown } = decodeObject(type, isObject(again) ? again : {});
      expect(unknown).toEqual([]);
      expect(encodeBody(type, second)).toBe(text);
    }),
    { numRuns: 150 },
  );
});

describe('schema members in the neutral spelling', () => {
  const decoded = (schema: JsonObject): JsonObject => decodeObject('apiextensions.v1.JSONSchemaProps', schema).object;
  const validations = [{ rule: 'self > 1' }];

  test('are decoded as their upstream members at any depth, while properties with such names are kept', () => {
    const inner = { type: 'integer', 'x-platform-validations': validations, 'x-platform-int-or-string': true };
    const expected = { type: 'integer', 'x-kubernetes-validations': validations, 'x-kubernetes-int-or-string': true };
    const asProperty = (schema: JsonObject): JsonObject => ({ type: 'object', properties: { 'x-platform-validations': schema } });
    expect(decoded(asProperty(inner))).toEqual(decoded(asProperty(expected)));
    expect(decoded(asProperty(inner))).toMatchObject(asProperty(expected));
    expect(decodeObject('apiextensions.v1.JSONSchemaProps', inner).unknown).toEqual([]);
  });

  test('are rejected when both spellings are present and differ', () => {
    expect(() => decoded({ 'x-platform-validations': [], 'x-kubernetes-validations': validations })).toThrow(
      'x-platform-validations and x-kubernetes-validations are two spellings of the same field and differ',
    );
    expect(decoded({ 'x-platform-validations': validations, 'x-kubernetes-validations': validations })).toMatchObject({
      'x-kubernetes-validations': validations,
    });
  });
});
