/**
 * Records what the reference server says of objects that do and do not fit into a quota:
 *   node deploy/scripts/run.mjs test/replay/quota.js
 * It is to run without the admission plug-ins ServiceAccount and LimitRanger and without controllers: what is used is put into the quota's status by hand.
 * apiserver/admission/quota/charge.test.ts replays the recording.
 */
import { writeRecording } from './recording';
import { call, hangUp, type Body, type Json } from './reference';

const NAMESPACE = 'recorded-quotas';
const AT = `/api/v1/namespaces/${NAMESPACE}`;
const NAME = 'q';

interface Case {
  readonly title: string;
  readonly resource: string;
  readonly hard: Body;
  readonly used: Body;
  readonly spec?: Body;
  readonly body: Body;
  /** What is there before; `body` is put in its place. */
  readonly old?: Body;
}

const container = (name: string, resources: Body = {}): Body => ({ name, image: 'i', resources });
const pod = (resources: Body = {}, spec: Body = {}): Body => ({ spec: { containers: [container('c', resources)], ...spec } });
const asks = (requests: Body, limits: Body = {}): Body => ({ requests, limits });
const service = (spec: Body): Body => ({
  spec: {
    ports: [
      { name: 'a', port: 1 },
      { name: 'b', port: 2 },
    ],
    ...spec,
  },
});
const claim = (storage: string, spec: Body = {}): Body => ({
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage } }, ...spec },
});
const map: Body = { data: {} };

const pods = (title: string, hard: Body, used: Body, body: Body, spec: Body = {}): Case => ({
  title,
  resource: 'pods',
  hard,
  used,
  body,
  spec,
});

const CASES: readonly Case[] = [
  pods('a pod too many', { pods: '1' }, { pods: '1' }, pod()),
  pods('the last pod', { pods: '2' }, { pods: '1' }, pod()),
  pods('no pods', { pods: '0' }, { pods: '0' }, pod()),
  pods('counted pods', { 'count/pods': '1' }, { 'count/pods': '1' }, pod()),
  pods(
    'nothing said',
    { pods: '5', 'requests.cpu': '1', 'limits.memory': '1Gi' },
    { pods: '1', 'requests.cpu': '500m', 'limits.memory': '0' },
    pod(),
  ),
  pods('cpu not said', { cpu: '1' }, { cpu: '0' }, pod()),
  pods('memory not said', { memory: '1' }, { memory: '0' }, pod()),
  pods(
    'other resources not said',
    { 'requests.ephemeral-storage': '1', 'requests.example.com/gpu': '1' },
    { 'requests.ephemeral-storage': '0', 'requests.example.com/gpu': '0' },
    pod(),
  ),
  pods(
    'said by some containers',
    { 'requests.cpu': '5', 'limits.memory': '1Gi' },
    { 'requests.cpu': '0', 'limits.memory': '0' },
    {
      spec: { initContainers: [container('i')], containers: [container('d'), container('c', asks({ cpu: '1' }))] },
    },
  ),
  pods(
    'too much of both',
    { 'requests.cpu': '1', 'limits.memory': '1Gi' },
    { 'requests.cpu': '500m', 'limits.memory': '0' },
    pod(asks({ cpu: '2' }, { memory: '2Gi', cpu: '3' })),
  ),
  pods(
    'too much of one',
    { 'requests.cpu': '1', 'limits.memory': '1Gi' },
    { 'requests.cpu': '500m', 'limits.memory': '0' },
    pod(asks({ cpu: '501m' }, { memory: '1Mi', cpu: '3' })),
  ),
  pods(
    'as much as there is',
    { 'requests.cpu': '1', 'limits.memory': '1Gi' },
    { 'requests.cpu': '500m', 'limits.memory': '0' },
    pod(asks({ cpu: '500m' }, { memory: '1Gi', cpu: '3' })),
  ),
  pods('limits that are requests', { 'requests.cpu': '1' }, { 'requests.cpu': '0' }, pod(asks({}, { cpu: '2' }))),
  pods(
    'what comes first',
    { 'requests.cpu': '1' },
    { 'requests.cpu': '0' },
    {
      spec: {
        initContainers: [container('i', asks({ cpu: '3' }))],
        containers: [container('c', asks({ cpu: '100m' })), container('d', asks({ cpu: '200m' }))],
      },
    },
  ),
  pods(
    'a device',
    { 'requests.example.com/gpu': '1' },
    { 'requests.example.com/gpu': '0' },
    pod(asks({ 'example.com/gpu': '2' }, { 'example.com/gpu': '2' })),
  ),
  pods('more than is used up', { pods: '1' }, { pods: '7' }, pod()),
  pods('best effort', { pods: '0' }, { pods: '0' }, pod(), { scopes: ['BestEffort'] }),
  pods('not best effort', { pods: '0' }, { pods: '0' }, pod(asks({ cpu: '1m' })), { scopes: ['BestEffort'] }),
  pods('terminating', { pods: '0' }, { pods: '0' }, pod({}, { activeDeadlineSeconds: 5 }), { scopes: ['Terminating'] }),
  pods('not terminating', { pods: '0' }, { pods: '0' }, pod(), { scopes: ['Terminating'] }),
  pods('of another scope, with nothing said', { 'requests.cpu': '1' }, { 'requests.cpu': '0' }, pod({}, { activeDeadlineSeconds: 5 }), {
    scopes: ['NotTerminating'],
  }),
  {
    title: 'maps',
    resource: 'configmaps',
    hard: { 'count/configmaps': '1', configmaps: '0' },
    used: { 'count/configmaps': '1', configmaps: '0' },
    body: map,
  },
  {
    title: 'a map too many',
    resource: 'configmaps',
    hard: { 'count/configmaps': '1', configmaps: '5' },
    used: { 'count/configmaps': '1', configmaps: '1' },
    body: map,
  },
  { title: 'maps under a quota of pods', resource: 'configmaps', hard: { pods: '0' }, used: { pods: '0' }, body: map },
  {
    title: 'maps under a scoped quota',
    resource: 'configmaps',
    hard: { pods: '0' },
    used: { pods: '0' },
    spec: { scopes: ['BestEffort'] },
    body: map,
  },
  { title: 'a Service too many', resource: 'services', hard: { services: '1' }, used: { services: '1' }, body: service({}) },
  {
    title: 'node ports',
    resource: 'services',
    hard: { services: '5', 'services.nodeports': '1' },
    used: { services: '0', 'services.nodeports': '0' },
    body: service({ type: 'NodePort' }),
  },
  {
    title: 'no node ports',
    resource: 'services',
    hard: { 'services.nodeports': '1' },
    used: { 'services.nodeports': '0' },
    body: service({}),
  },
  {
    title: 'load balancers',
    resource: 'services',
    hard: { 'services.loadbalancers': '0', 'services.nodeports': '9' },
    used: { 'services.loadbalancers': '0', 'services.nodeports': '0' },
    body: service({ type: 'LoadBalancer' }),
  },
  {
    title: 'a Service becomes one of node ports',
    resource: 'services',
    hard: { 'services.nodeports': '1' },
    used: { 'services.nodeports': '0' },
    old: service({}),
    body: service({ type: 'NodePort' }),
  },
  {
    title: 'a Service stays as it is',
    resource: 'services',
    hard: { services: '0' },
    used: { services: '1' },
    old: service({}),
    body: service({ sessionAffinity: 'ClientIP' }),
  },
  {
    title: 'a claim',
    resource: 'persistentvolumeclaims',
    hard: { persistentvolumeclaims: '1', 'requests.storage': '1Gi' },
    used: { persistentvolumeclaims: '0', 'requests.storage': '0' },
    body: claim('2Gi'),
  },
  {
    title: 'a claim of a class',
    resource: 'persistentvolumeclaims',
    hard: { 'requests.storage': '9Gi', 'gold.storageclass.storage.k8s.io/requests.storage': '0' },
    used: { 'requests.storage': '0', 'gold.storageclass.storage.k8s.io/requests.storage': '0' },
    body: claim('2Gi', { storageClassName: 'gold' }),
  },
  {
    title: 'a claim of another class',
    resource: 'persistentvolumeclaims',
    hard: { 'gold.storageclass.storage.k8s.io/requests.storage': '0' },
    used: { 'gold.storageclass.storage.k8s.io/requests.storage': '0' },
    body: claim('2Gi', { storageClassName: 'lead' }),
  },
  {
    title: 'a quota too many',
    resource: 'resourcequotas',
    hard: { resourcequotas: '1' },
    used: { resourcequotas: '1' },
    body: { spec: { hard: { pods: '1' } } },
  },
];

async function record({ title, resource, hard, used, spec = {}, body, old }: Case): Promise<Json> {
  await call('DELETE', `${AT}/resourcequotas/${NAME}`, 'application/json');
  const path = `${AT}/${resource}`;
  if (old !== undefined) await call('POST', path, 'application/json', { metadata: { name: 'x' }, ...old });
  const quota = { metadata: { name: NAME }, spec: { hard, ...spec } };
  await call('POST', `${AT}/resourcequotas`, 'application/json', quota);
  const stored = await call('PUT', `${AT}/resourcequotas/${NAME}/status`, 'application/json', { ...quota, status: { hard, used } });
  if (stored.code !== 200) throw new Error(`${title}: ${JSON.stringify(stored.body)}`);
  await new Promise((resolve) => setTimeout(resolve, 150));
  const asked =
    old === undefined
      ? await call('POST', `${path}?dryRun=All`, 'application/json', { metadata: { name: 'x' }, ...body })
      : await call('PATCH', `${path}/x?dryRun=All`, 'application/merge-patch+json', body);
  if (old !== undefined) await call('DELETE', `${path}/x`, 'application/json');
  const { message } = asked.body;
  const refusal = asked.code < 300 ? {} : { message: message ?? null };
  return { title, resource, hard, used, spec, body, ...(old === undefined ? {} : { old }), code: asked.code, ...refusal };
}

async function main(): Promise<void> {
  await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: NAMESPACE } });
  const lines: Json[] = [];
  for (const one of CASES) lines.push(await record(one));
  writeRecording('admission/quota', lines);
  hangUp();
}

void main();
