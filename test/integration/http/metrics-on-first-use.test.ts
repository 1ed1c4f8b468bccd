/**
 * Metrics that appear with their first use: match conditions, watches with initial events, values that cannot be
 * decoded.
 */
import { NO_OVERRIDES } from '../../../apiserver/admission/plugins/plugin-overrides';
import { MemoryStore } from '../../support/store/memory-store';
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
const api = useServer({ naming: 'kubernetes', plugins: NO_OVERRIDES }, { store });
beforeAll(() => api.waitForServerObjects());

const readSeries = async (name: string): Promise<readonly string[]> =>
  (await api.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));

test('match conditions of webhooks and policies are counted by their outcome', async () => {
  await api.create(`${ADMISSION}/validatingwebhookconfigurations`, WEBHOOK);
  await api.create(`${ADMISSION}/validatingadmissionpolicies`, POLICY);
  const spec = { policyName: 'p', validationActions: ['Deny'] };
  await api.create(`${ADMISSION}/validatingadmissionpolicybindings`, { metadata: { name: 'b' }, spec });
  for (const metadata of [{ name: 'out' }, { name: 'unmarked' }, { name: 'marked', labels: { x: 'y' } }])
    await api.create('/api/v1/namespaces/default/configmaps', { metadata });
  const labels = (kind: string, name: string, type: string): string => `{kind="${kind}",name="${name}",operation="CREATE",type="${type}"}`;
  const prefix = 'apiserver_admission_match_condition';
  expect([...(await readSeries(`${prefix}_evaluation_seconds_count`))].sort()).toEqual([
    `${prefix}_evaluation_seconds_count${labels('policy', 'p', 'validate')} 3`,
    `${prefix}_evaluation_seconds_count${labels('webhook', 'w.example.com', 'validating')} 3`,
  ]);
  expect([...(await readSeries(`${prefix}_evaluation_errors_total`))].sort()).toEqual([
    `${prefix}_evaluation_errors_total${labels('policy', 'p', 'validate')} 1`,
    `${prefix}_evaluation_errors_total${labels('webhook', 'w.example.com', 'validating')} 1`,
  ]);
  expect(await readSeries(`${prefix}_exclusions_total`)).toEqual([
    `${prefix}_exclusions_total${labels('webhook', 'w.example.com', 'validate')} 2`,
  ]);
});

test('a watch with sendInitialEvents is timed until its initial events are sent', async () => {
  const metric = 'apiserver_watch_list_duration_seconds_count';
  const watch = '/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1';
  await api.get(watch);
  expect(await readSeries(metric)).toEqual([]);
  await api.get(`${watch}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`);
  expect(await readSeries(metric)).toEqual([`${metric}{group="",version="v1",resource="configmaps",scope="namespace"} 1`]);
});

test('a stored value that cannot be decoded is counted', async () => {
  expect(await readSeries('apiserver_storage_decode_errors_total')).toEqual([]);
  const { revision } = await store.transact(
    { compare: [], operations: [{ type: 'put', key: '/registry/configmaps/default/torn', value: Buffer.from('garbage') }] },
    { deadline: Infinity },
  );
  await api.server.cache.waitForRevision(revision, { deadline: Infinity });
  expect(await readSeries('apiserver_storage_decode_errors_total')).toEqual([
    'apiserver_storage_decode_errors_total{resource="configmaps"} 1',
  ]);
});
