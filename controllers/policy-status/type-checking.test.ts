/**
 * Compares the status of admission policies with the recorded one of the controllers of release 1.31.1
 * (admission/policy-checks).
 */
import { arrayAt, isObject, objectAt, type JsonObject } from '../../shared/values/json';
import { readRecording } from '../../test/replay/recording';
import { body, shape, text } from '../../test/replay/shape';
import { BUILT_IN_KINDS, kindsOfDocument } from './kind-types';
import { referencedVersions, typeCheckedStatus } from './type-checking';

const { head, cases } = readRecording(
  'admission/policy-checks',
  shape({ format: text, definition: body }),
  shape({ title: text, spec: body, status: body }),
);
const GROUP = 'tc.example.com';
const kinds = [...BUILT_IN_KINDS, ...kindsOfDocument(GROUP, 'v1', documentOf())];

/** The OpenAPI document that the server publishes for the definition. */
function documentOf(): JsonObject {
  const [version] = (arrayAt(objectAt(head.definition, 'spec'), 'versions') ?? []).filter(isObject);
  const kindName = { group: GROUP, version: 'v1', kind: 'Thing' };
  const schema = { ...objectAt(objectAt(version, 'schema'), 'openAPIV3Schema'), 'x-kubernetes-group-version-kind': [kindName] };
  const operations = { get: {}, post: { 'x-kubernetes-group-version-kind': kindName } };
  return {
    paths: { [`/apis/${GROUP}/v1/namespaces/{namespace}/things`]: operations, [`/apis/${GROUP}/v1/things`]: { get: {} } },
    components: { schemas: { 'com.example.tc.v1.Thing': schema } },
  };
}

test.each(cases.map(({ title, spec, status }) => [title, spec, status] as const))(
  'typeCheckedStatus returns the recorded status of a policy: %s',
  (_title, spec, status) => {
    expect(typeCheckedStatus(spec, 1, { kinds, dialect: 'kubernetes' })).toEqual(status);
  },
);

test('typeCheckedStatus checks an expression against at most 100 kinds', () => {
  const [kind] = BUILT_IN_KINDS.filter((builtIn) => builtIn.kind === 'ConfigMap');
  if (kind === undefined) throw new Error('no ConfigMap');
  const many = Array.from({ length: 150 }, (_, index) => ({ ...kind, version: `v${index}` }));
  const spec = {
    matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: many.map(({ version }) => version), resources: ['configmaps'] }] },
    validations: [{ expression: 'object.none' }],
  };
  const status = typeCheckedStatus(spec, 7, { kinds: many, dialect: 'platform' });
  expect(status).toMatchObject({ observedGeneration: 7 });
  expect(JSON.stringify(status).match(/Kind=ConfigMap/g)).toHaveLength(100);
});

test('referencedVersions lists the API versions that resource rules and paramKind name', () => {
  const rules = [
    { apiGroups: ['', 'a.example.com', '*'], apiVersions: ['v1', '*'] },
    { apiGroups: ['a.example.com'], apiVersions: ['v1', 'v2'] },
  ];
  const spec = { matchConstraints: { resourceRules: rules }, paramKind: { apiVersion: 'b.example.com/v3', kind: 'B' } };
  expect(referencedVersions(spec)).toEqual([
    ['a.example.com', 'v1'],
    ['a.example.com', 'v2'],
    ['b.example.com', 'v3'],
  ]);
});
