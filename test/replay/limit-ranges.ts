/**
 * Records what the reference server makes of Pods and claims under limit ranges:
 *   node deploy/scripts/run.mjs test/replay/limit-ranges.js
 * It is to run without the admission plug-in ServiceAccount. apiserver/admission/limit-ranger.test.ts replays the recording.
 */
import { writeRecording } from './recording';
import { call, hangUp, isBody, type Body, type Json } from './reference';

const NAMESPACE = 'recorded-limits';
const AT = `/api/v1/namespaces/${NAMESPACE}`;

interface Case {
  readonly title: string;
  /** The `limits` of each range, by the range's name. */
  readonly ranges: Readonly<Record<string, readonly Body[]>>;
  readonly resource: 'pods' | 'persistentvolumeclaims';
  readonly body: Body;
  /** What is there before; `body` is merged into it. */
  readonly old?: Body;
}

const container = (name: string, resources?: Body): Body => ({ name, image: 'i', ...(resources === undefined ? {} : { resources }) });
const pod = (...containers: Body[]): Body => ({ spec: { containers } });
const asks = (requests: Body, limits: Body = {}): Body => ({ requests, limits });
const ofContainers = (members: Body): Body => ({ type: 'Container', ...members });
const ofPods = (members: Body): Body => ({ type: 'Pod', ...members });
const ofClaims = (members: Body): Body => ({ type: 'PersistentVolumeClaim', ...members });
const claim = (storage: string): Body => ({
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage } } },
});
const pods = (title: string, limits: readonly Body[], body: Body): Case => ({ title, ranges: { a: limits }, resource: 'pods', body });
const claims = (title: string, limits: readonly Body[], body: Body): Case => ({
  title,
  ranges: { a: limits },
  resource: 'persistentvolumeclaims',
  body,
});

const DEFAULTS = ofContainers({ default: { cpu: '500m', memory: '1Gi' }, defaultRequest: { cpu: '100m' } });
const BOUNDS = ofContainers({ min: { cpu: '100m', memory: '64Mi' }, max: { cpu: '1', memory: '1Gi' } });

const CASES: readonly Case[] = [
  pods('no bounds', [ofPods({ max: { cpu: '2' } })], pod(container('c', asks({ cpu: '1' }, { cpu: '1' })))),
  pods('defaults', [DEFAULTS], pod(container('c'))),
  pods('defaults beside what is said', [DEFAULTS], pod(container('c', asks({ memory: '1Mi' }, { cpu: '1' })))),
  pods('defaults of several containers', [DEFAULTS], {
    spec: { initContainers: [container('i')], containers: [container('c'), container('d', asks({ cpu: '1m' }))] },
  }),
  pods('nothing to be added', [DEFAULTS], pod(container('c', asks({ cpu: '1m', memory: '1Mi' }, { cpu: '1', memory: '1Gi' })))),
  pods('defaults of limits alone', [ofContainers({ default: { cpu: '500m' } })], pod(container('c'))),
  pods('defaults of requests alone', [ofContainers({ defaultRequest: { cpu: '500m' } })], pod(container('c'))),
  pods('annotations that are there', [DEFAULTS], { metadata: { annotations: { a: 'b' } }, ...pod(container('c')) }),
  pods('defaults that come from bounds', [BOUNDS], pod(container('c'))),
  pods('within bounds', [BOUNDS], pod(container('c', asks({ cpu: '100m', memory: '64Mi' }, { cpu: '1', memory: '1Gi' })))),
  pods('below the bounds', [BOUNDS], pod(container('c', asks({ cpu: '99m', memory: '63Mi' }, { cpu: '99m', memory: '63Mi' })))),
  pods('above the bounds', [BOUNDS], pod(container('c', asks({ cpu: '1', memory: '1Gi' }, { cpu: '1001m', memory: '2Gi' })))),
  pods('several containers beyond bounds', [BOUNDS], {
    spec: { initContainers: [container('i', asks({ cpu: '1m' }))], containers: [container('c', asks({}, { cpu: '2' })), container('d')] },
  }),
  pods(
    'a minimum and nothing said',
    [ofContainers({ min: { 'ephemeral-storage': '1Mi' }, max: { 'ephemeral-storage': '1Gi' }, default: { 'ephemeral-storage': '1Mi' } })],
    pod(container('c', asks({}, { 'ephemeral-storage': '2Gi' }))),
  ),
  pods('a ratio', [ofContainers({ maxLimitRequestRatio: { cpu: '2' } })], pod(container('c', asks({ cpu: '100m' }, { cpu: '201m' })))),
  pods(
    'a ratio that holds',
    [ofContainers({ maxLimitRequestRatio: { cpu: '2' } })],
    pod(container('c', asks({ cpu: '100m' }, { cpu: '200m' }))),
  ),
  pods('a ratio and nothing said', [ofContainers({ maxLimitRequestRatio: { cpu: '2' } })], pod(container('c'))),
  pods('a ratio and no limit', [ofContainers({ maxLimitRequestRatio: { memory: '3' } })], pod(container('c', asks({ memory: '1Mi' })))),
  pods(
    'bounds of pods',
    [ofPods({ min: { cpu: '200m' }, max: { cpu: '1', memory: '1Gi' } })],
    pod(
      container('c', asks({ cpu: '50m', memory: '1Gi' }, { cpu: '600m', memory: '1Gi' })),
      container('d', asks({ cpu: '50m' }, { cpu: '600m', memory: '1Mi' })),
    ),
  ),
  pods('bounds of pods and nothing said', [ofPods({ min: { cpu: '200m' }, max: { memory: '1Gi' } })], pod(container('c'))),
  pods('a ratio of pods', [ofPods({ maxLimitRequestRatio: { cpu: '2' } })], pod(container('c', asks({ cpu: '100m' }, { cpu: '300m' })))),
  pods('bounds of pods with what comes first', [ofPods({ max: { cpu: '1' } })], {
    spec: {
      initContainers: [container('i', asks({ cpu: '2' }, { cpu: '2' }))],
      containers: [container('c', asks({ cpu: '1m' }, { cpu: '1m' }))],
    },
  }),
  pods(
    'devices',
    [ofContainers({ max: { 'example.com/gpu': '1' } })],
    pod(container('c', asks({ 'example.com/gpu': '2' }, { 'example.com/gpu': '2' }))),
  ),
  pods('claims are others', [ofClaims({ max: { storage: '1Gi' } })], pod(container('c'))),
  {
    title: 'two ranges',
    ranges: { a: [DEFAULTS], b: [ofContainers({ default: { cpu: '7', memory: '7Gi' }, defaultRequest: { memory: '3Mi' } })] },
    resource: 'pods',
    body: pod(container('c')),
  },
  {
    title: 'two ranges, of which one refuses',
    ranges: { a: [DEFAULTS], b: [ofContainers({ max: { cpu: '200m' } })] },
    resource: 'pods',
    body: pod(container('c')),
  },
  {
    title: 'a change of a pod',
    ranges: { a: [BOUNDS] },
    resource: 'pods',
    old: pod(container('c', asks({ cpu: '100m', memory: '64Mi' }, { cpu: '1', memory: '1Gi' }))),
    body: { metadata: { labels: { a: 'b' } } },
  },
  claims('a claim', [ofClaims({ min: { storage: '1Gi' }, max: { storage: '2Gi' } })], claim('1Gi')),
  claims('a small claim', [ofClaims({ min: { storage: '1Gi' }, max: { storage: '2Gi' } })], claim('1Mi')),
  claims('a large claim', [ofClaims({ min: { storage: '1Gi' }, max: { storage: '2Gi' } })], claim('3Gi')),
  claims('a claim under a range of pods', [BOUNDS], claim('3Gi')),
];

function shown(body: Body): Json {
  const { metadata, spec } = body;
  const annotations = isBody(metadata) ? (metadata['annotations'] ?? null) : null;
  const containers = (member: string): Json =>
    isBody(spec) && Array.isArray(spec[member])
      ? spec[member].filter(isBody).map(({ name = null, resources = null }) => ({ name, resources }))
      : null;
  return { annotations, initContainers: containers('initContainers'), containers: containers('containers') };
}

async function record({ title, ranges, resource, body, old }: Case): Promise<Json> {
  await call('DELETE', `${AT}/limitranges`, 'application/json');
  const path = `${AT}/${resource}`;
  if (old !== undefined) await call('POST', path, 'application/json', { metadata: { name: 'x' }, ...old });
  const stored: Body = {};
  for (const [name, limits] of Object.entries(ranges)) {
    const made = await call('POST', `${AT}/limitranges`, 'application/json', { metadata: { name }, spec: { limits: [...limits] } });
    if (made.code !== 201) throw new Error(`${title}: ${JSON.stringify(made.body)}`);
    const { spec } = made.body;
    stored[name] = isBody(spec) ? (spec['limits'] ?? null) : null;
  }
  await new Promise((resolve) => setTimeout(resolve, 150));
  const { metadata = {}, ...rest } = body;
  const asked =
    old === undefined
      ? await call('POST', `${path}?dryRun=All`, 'application/json', {
          ...rest,
          metadata: { name: 'x', ...(isBody(metadata) ? metadata : {}) },
        })
      : await call('PATCH', `${path}/x?dryRun=All`, 'application/merge-patch+json', body);
  if (old !== undefined) await call('DELETE', `${path}/x?gracePeriodSeconds=0`, 'application/json');
  const outcome: Body =
    asked.code < 300 ? { shown: resource === 'pods' ? shown(asked.body) : null } : { message: asked.body['message'] ?? null };
  return { title, ranges: stored, resource, body, ...(old === undefined ? {} : { old }), code: asked.code, ...outcome };
}

async function main(): Promise<void> {
  await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: NAMESPACE } });
  const lines: Json[] = [];
  for (const one of CASES) lines.push(await record(one));
  writeRecording('admission/limit-ranges', lines);
  hangUp();
}

void main();
