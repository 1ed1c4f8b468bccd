import fc from 'fast-check';
import { parseJson } from '../../serialization/strict-json';
import { isObject, type JsonObject, type JsonValue } from '../json';
import { decodeObject } from './decode';
import { DecodeError } from './decode-error';
import { encodeBody } from './encode';
import { readTypeMeta } from './type-meta';

function decode(type: string, text: string): { object: JsonObject; unknown: string[] } {
  const { value, literals } = parseJson(Buffer.from(text));
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
])('%s %s is refused in upstream words', (type, text, message) => {
  expect(() => decode(type, text)).toThrow(new DecodeError(message));
});

test('unknown members are dropped and reported with their paths in order', () => {
  const { object, unknown } = decode(SERVICE, '{"spec":{"foo":1,"ports":[{"port":1},{"port":2,"x":{"y":1}}]},"Kind":"x","kind":"Service"}');
  expect(unknown).toEqual(['spec.foo', 'spec.ports[1].x', 'Kind']);
  expect(encodeBody(SERVICE, object)).toContain('"ports":[{"port":1,"targetPort":0},{"port":2,"targetPort":0}]');
});

test('at most 100 unknown members are reported', () => {
  const members = Array.from({ length: 300 }, (_, index) => `"x${index}":1`).join(',');
  expect(decode(CONFIG, `{${members}}`).unknown).toHaveLength(100);
});

test('null counts as absent, and in lists and maps as the zero value', () => {
  const { object } = decode(CONFIG, '{"metadata":{"name":"a","labels":null,"finalizers":[null]},"data":{"k":null},"immutable":null}');
  expect(encodeBody(CONFIG, object)).toBe('{"metadata":{"name":"a","creationTimestamp":null,"finalizers":[""]},"data":{"k":""}}');
});

test('a decoded object shares nothing with its source', () => {
  const source: JsonObject = { metadata: { name: 'a', labels: { x: 'y' } }, data: { k: 'v' } };
  const before = JSON.stringify(source);
  const { object } = decodeObject(CONFIG, source);
  const data = object['data'];
  if (isObject(data)) data['k'] = 'changed';
  expect(JSON.stringify(source)).toBe(before);
});

test('names that every object inherits are plain keys', () => {
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

test('64-bit integers stay exact', () => {
  const { object } = decode(CONFIG, '{"metadata":{"generation":9223372036854775807}}');
  expect(encodeBody(CONFIG, object)).toContain('"generation":9223372036854775807');
});

test('kind and apiVersion are read from any body, and are no unknown members', () => {
  expect(readTypeMeta({ kind: 'Pod', apiVersion: 'v1' })).toEqual({ kind: 'Pod', apiVersion: 'v1' });
  expect(readTypeMeta(null)).toEqual({ kind: '', apiVersion: '' });
  expect(() => readTypeMeta([])).toThrow(
    /^couldn't get version\/kind; json parse error: json: cannot unmarshal array into Go value of type struct/,
  );
  expect(() => readTypeMeta({ kind: 1 })).toThrow('json: cannot unmarshal number into Go struct field .kind of type string');
});

test('free-form values have a depth that everything can walk', () => {
  const fields = (depth: number): string => `{"metadata":{"managedFields":[{"fieldsV1":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}]}}`;
  expect(encodeBody(CONFIG, decode(CONFIG, fields(1000)).object)).toContain(fields(1000).slice(40, -10));
  expect(() => decode(CONFIG, fields(9000))).toThrow(new DecodeError('exceeded max depth'));
});

const json: fc.Arbitrary<JsonValue> = fc.jsonValue({ maxDepth: 4 }).map((value): JsonValue => JSON.parse(JSON.stringify(value)));
const names = fc.constantFrom('metadata', 'spec', 'data', 'ports', 'port', 'containers', 'name', 'labels', 'x', 'volumes', 'status');
const shaped: fc.Arbitrary<JsonObject> = fc.dictionary(
  names,
  fc.oneof(json, fc.array(fc.dictionary(names, json)), fc.dictionary(names, json)),
);

test('whatever is sent, decoding refuses it clearly or gives an object that is stable under encoding', () => {
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
