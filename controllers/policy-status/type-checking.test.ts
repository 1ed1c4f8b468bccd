/** Compares the status of admission policies with the recorded one of the controllers of release 1.31.1 (admission/policy-checks). */
import { arrayAt, isObject, objectAt, type JsonObject } from '../../shared/values/json';
import { recordingOf } from '../../test/replay/recording';
import { body, shape, text } from '../../test/replay/shape';
import { checkedStatus, namedVersions } from './type-checking';
import { BUILT_IN, kindsOfDocument } from './kind-types';

const { head, cases } = recordingOf(
  'admission/policy-checks',
  shape({ format: text, definition: body }),
  shape({ title: text, spec: body, status: body }),
);
const GROUP = 'tc.example.com';
const kinds = [...BUILT_IN, ...kindsOfDocument(GROUP, 'v1', documentOf())];

/** As the server publishes the definition. */
function documentOf(): JsonObject {
  const [version] = (arrayAt(objectAt(head.definition, 'spec'), 'versions') ?? []).filter(isObject);
  const named = { group: GROUP, version: 'v1', kind: 'Thing' };
  const schema = { ...objectAt(objectAt(version, 'schema'), 'openAPIV3Schema'), 'x-kubernetes-group-version-kind': [named] };
  const operations = { get: {}, post: { 'x-kubernetes-group-version-kind': named } };
  return {
    paths: { [`/apis/${GROUP}/v1/namespaces/{namespace}/things`]: operations, [`/apis/${GROUP}/v1/things`]: { get: {} } },
    components: { schemas: { 'com.example.tc.v1.Thing': schema } },
  };
}

test.each(cases.map(({ title, spec, status }) => [title, spec, status] as const))('%s', (_title, spec, status) => {
  expect(checkedStatus(spec, 1, { kinds, dialect: 'kubernetes' })).toEqual(status);
});

test('checkedStatus checks an expression against at most 100 kinds', () => {
  const [kind] = BUILT_IN.filter((one) => one.kind === 'ConfigMap');
  if (kind === undefined) throw new Error('no ConfigMap');
  const many = Array.from({ length: 150 }, (_, index) => ({ ...kind, version: `v${index}` }));
  const spec = {
    matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: many.map(({ version }) => version), resources: ['configmaps'] }] },
    validations: [{ expression: 'object.none' }],
  };
  const status = checkedStatus(spec, 7, { kinds: many, dialect: 'platform' });
  expect(status).toMatchObject({ observedGeneration: 7 });
  expect(JSON.stringify(status).match(/Kind=ConfigMap/g)).toHaveLength(100);
});

test('namedVersions lists the API versions that resource rules and paramKind name', () => {
  const rules = [
    { apiGroups: ['', 'a.example.com', '*'], apiVersions: ['v1', '*'] },
    { apiGroups: ['a.example.com'], apiVersions: ['v1', 'v2'] },
  ];
  const spec = { matchConstraints: { resourceRules: rules }, paramKind: { apiVersion: 'b.example.com/v3', kind: 'B' } };
  expect(namedVersions(spec)).toEqual([
    ['a.example.com', 'v1'],
    ['a.example.com', 'v2'],
    ['b.example.com', 'v3'],
  ]);
});
