/** Warnings as release 1.31.1 gives them: which labels of nodes are old, wherever a pod names them, and which finalizers of custom resources are new. */
import { call } from './call';
import { useServer } from './fixture';

const api = useServer();
beforeAll(async () => {
  await api.post('/api/v1/namespaces', '{"metadata":{"name":"default"}}');
});

async function warningsOf(path: string, method: string, body: unknown, type = 'application/json'): Promise<readonly string[]> {
  const answer = await api.call(path, { method, body: body, headers: { 'content-type': type } });
  expect(answer.status).toBeLessThan(300);
  return [answer.headers['warning'] ?? []].flat();
}

const MASTER = 'node-role.platform.io/master';
const ADVICE = 'use \\"node-role.platform.io/control-plane\\" instead';

test.each([
  [{ nodeSelector: { [MASTER]: '' } }, `spec.nodeSelector[${MASTER}]: ${ADVICE}`],
  [
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: MASTER, operator: 'Exists' }] }],
          },
        },
      },
    },
    'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: ' +
      `${MASTER} is ${ADVICE}`,
  ],
])('an old label of nodes: %j', async (spec, warning) => {
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
  expect(await warningsOf('/api/v1/namespaces/default/pods?dryRun=All', 'POST', pod)).toEqual([`299 - "${warning}"`]);
});

test('a finalizer without a domain is told once', async () => {
  const group = 'warnings.example.com';
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
  };
  await api.post('/apis/apiextensions.platform.io/v1/customresourcedefinitions', {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  const things = `/apis/${group}/v1/things`;
  await api.served(things);
  const told = (finalizer: string): string =>
    `299 - "metadata.finalizers: \\"${finalizer}\\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"`;
  const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 't', finalizers: ['foo'] } };
  expect(await warningsOf(things, 'POST', thing)).toEqual([told('foo')]);
  const patch = (body: unknown): Promise<readonly string[]> => warningsOf(`${things}/t`, 'PATCH', body, 'application/merge-patch+json');
  expect(await patch({ spec: { a: 1 } })).toEqual([]);
  expect(await patch({ metadata: { finalizers: ['foo', 'bar'] } })).toEqual([told('bar')]);
});

test('a rejected change still warns of validation rules that stored values break', async () => {
  const group = 'ratcheting.example.com';
  const definitions = '/apis/apiextensions.platform.io/v1/customresourcedefinitions';
  const things = `/apis/${group}/v1/namespaces/default/things`;
  const versions = (rules: readonly object[]): object[] => {
    const properties = { a: { type: 'string', 'x-kubernetes-validations': rules }, b: { type: 'integer', maximum: 5 } };
    const spec = { type: 'object', properties };
    return [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }];
  };
  const patch = (path: string, body: unknown): ReturnType<typeof call> => api.merge(path, body);
  const names = { plural: 'things', kind: 'Thing' };
  const definition = { metadata: { name: `things.${group}` }, spec: { group, scope: 'Namespaced', names, versions: versions([]) } };
  await api.post(definitions, definition);
  await api.served(things);
  const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 't' }, spec: { a: 'bad', b: 1 } };
  expect((await api.post(things, thing)).status).toBe(201);
  await patch(`${definitions}/things.${group}`, { spec: { versions: versions([{ rule: "self == 'good'" }]) } });
  const warning = '299 - "spec.a: Invalid value: \\"string\\": failed rule: self == \'good\'"';
  for (const [body, status] of [
    [{ spec: { b: 2 } }, 200],
    [{ spec: { b: 9 } }, 422],
    [{ metadata: { labels: { l: '-wrong-' } } }, 422],
  ] as const) {
    const answer = await patch(`${things}/t`, body);
    expect([answer.status, answer.headers['warning']]).toEqual([status, warning]);
  }
});
