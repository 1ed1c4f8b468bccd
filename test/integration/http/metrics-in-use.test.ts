/** Metrics that are shown once there is something to show: conditions of admission, watches that begin with the state, values that nobody can read. */
import { AS_THE_TABLE_SAYS } from '../../../apiserver/admission/switches';
import { MemoryStore } from '../../support/memory-store';
import { useServer } from './fixture';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
const CONDITIONS = [
  { name: 'in', expression: "object.metadata.name != 'out'" },
  { name: 'marked', expression: "object.metadata.labels.x == 'y'" },
];
const WEBHOOK = {
  metadata: { name: 'w' },
  webhooks: [
    {
      name: 'w.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/x' },
      rules: [RULE],
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      matchConditions: CONDITIONS,
    },
  ],
};
const POLICY = {
  metadata: { name: 'p' },
  spec: {
    failurePolicy: 'Ignore',
    matchConstraints: { resourceRules: [RULE] },
    matchConditions: CONDITIONS,
    validations: [{ expression: 'true' }],
  },
};

const store = new MemoryStore();
const api = useServer({ naming: 'kubernetes', plugins: AS_THE_TABLE_SAYS }, store);
beforeAll(async () => {
  await api.settled();
});

const create = (path: string, object: object) => api.post(path, object);
const series = async (name: string): Promise<readonly string[]> =>
  (await api.get('/metrics')).text.split('\n').filter((line) => line.startsWith(`${name}{`));

test('conditions of webhooks and policies are counted by what comes of them', async () => {
  expect((await create(`${ADMISSION}/validatingwebhookconfigurations`, WEBHOOK)).status).toBe(201);
  expect((await create(`${ADMISSION}/validatingadmissionpolicies`, POLICY)).status).toBe(201);
  const bound = { metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Deny'] } };
  expect((await create(`${ADMISSION}/validatingadmissionpolicybindings`, bound)).status).toBe(201);
  for (const [name, labels] of [
    ['out', {}],
    ['unmarked', {}],
    ['marked', { x: 'y' }],
  ] as const)
    expect((await create('/api/v1/namespaces/default/configmaps', { metadata: { name, labels } })).status).toBe(201);
  const of = (kind: string, name: string, type: string): string => `{kind="${kind}",name="${name}",operation="CREATE",type="${type}"}`;
  const all = 'apiserver_admission_match_condition';
  expect([...(await series(`${all}_evaluation_seconds_count`))].sort()).toEqual([
    `${all}_evaluation_seconds_count${of('policy', 'p', 'validate')} 3`,
    `${all}_evaluation_seconds_count${of('webhook', 'w.example.com', 'validating')} 3`,
  ]);
  expect([...(await series(`${all}_evaluation_errors_total`))].sort()).toEqual([
    `${all}_evaluation_errors_total${of('policy', 'p', 'validate')} 1`,
    `${all}_evaluation_errors_total${of('webhook', 'w.example.com', 'validating')} 1`,
  ]);
  expect(await series(`${all}_exclusions_total`)).toEqual([`${all}_exclusions_total${of('webhook', 'w.example.com', 'validate')} 2`]);
});

test('a watch that begins with the state is timed until it has told all of it', async () => {
  const counted = 'apiserver_watch_list_duration_seconds_count';
  const watch = '/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1';
  await api.get(watch);
  expect(await series(counted)).toEqual([]);
  await api.get(`${watch}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`);
  expect(await series(counted)).toEqual([`${counted}{group="",version="v1",resource="configmaps",scope="namespace"} 1`]);
});

test('a value that nobody can read is counted', async () => {
  expect(await series('apiserver_storage_decode_errors_total')).toEqual([]);
  const { revision } = await store.transact(
    { compare: [], operations: [{ type: 'put', key: '/registry/configmaps/default/torn', value: Buffer.from('garbage') }] },
    { deadline: Infinity },
  );
  await api.server.cache.waitFor(revision, { deadline: Infinity });
  expect(await series('apiserver_storage_decode_errors_total')).toEqual(['apiserver_storage_decode_errors_total{resource="configmaps"} 1']);
});
