/**
 * The metrics API over informers: usage from annotations and requests, lists with selectors, and sums by node. Serving
 * it over HTTP is tested in server.test.ts.
 */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import type { PartialObjectMetadata } from '../../../shared/client/rest/resource';
import { metadataOf, resourceOf } from '../../../shared/client/rest/resource';
import { InformerPool } from '../../../shared/client/informer/informer-pool';
import { silentLogger } from '../../../shared/runtime/logger';
import { fakeClient } from '../../../test/support/controllers/fake-client';
import { useResource } from '../../../test/support/use-resource';
import type { Informer } from '../../../shared/client/informer/informer';
import { respondWithMetrics, type MetricsSources } from './metrics-api';

const ROOT = '/apis/metrics.k8s.io/v1beta1';
const node = (name: string, labels: JsonObject = {}): JsonObject => ({ metadata: { name, labels } });
const SIMULATED = { 'simulation.platform.io/node': 'true' };

interface PodOptions {
  readonly name: string;
  readonly annotations?: JsonObject;
  readonly owner?: string;
  readonly phase?: string;
  readonly nodeName?: string;
  readonly cpu?: string;
}

const pod = ({ name, annotations = {}, owner, phase = 'Running', nodeName = 'simulated-1', cpu = '100m' }: PodOptions): JsonObject => ({
  metadata: {
    namespace: 'n',
    name,
    labels: { pod: name },
    annotations,
    ...(owner === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }] }),
  },
  spec: { nodeName, containers: [{ name: 'a', resources: { requests: { cpu } } }, { name: 'b' }] },
  status: { phase },
});

const objects: Readonly<Record<string, readonly JsonObject[]>> = {
  '/api/v1/nodes': [node('simulated-1', SIMULATED), node('simulated-2', SIMULATED), node('real')],
  '/api/v1/pods': [
    pod({ name: 'idle' }),
    pod({ name: 'own', annotations: { 'simulation.platform.io/cpu-usage': '1', 'simulation.platform.io/memory-usage': '64Mi' } }),
    pod({ name: 'upstream-spelling', annotations: { 'simulation.kubernetes.io/cpu-usage': '2' } }),
    pod({ name: 'malformed', annotations: { 'simulation.platform.io/cpu-usage': 'much' }, cpu: '2' }),
    pod({ name: 'web-1', owner: 'web' }),
    pod({ name: 'web-2', owner: 'web' }),
    pod({ name: 'web-3', owner: 'web', phase: 'Pending' }),
    pod({ name: 'elsewhere', nodeName: 'real' }),
  ],
  '/apis/apps/v1/replicasets': [
    { metadata: { namespace: 'n', name: 'web', uid: 'web', annotations: { 'simulation.platform.io/cpu-load': '900m' } } },
  ],
};

const sources = useResource(
  async (): Promise<MetricsSources & { readonly abort: AbortController }> => {
    const { api, client, clock, random } = fakeClient();
    for (const [collection, bodies] of Object.entries(objects)) for (const body of bodies) api.put(collection, body);
    const abort = new AbortController();
    const pool = new InformerPool({ client, clock, random, logger: silentLogger }, abort.signal);
    const [pods, nodes] = [pool.of(resourceOf('core.v1.Pod')), pool.of(resourceOf('core.v1.Node'))];
    const owners: Informer<PartialObjectMetadata> = pool.of(metadataOf(resourceOf('apps.v1.ReplicaSet')));
    await clock.advanceAsync(0);
    await Promise.all([pods.synced, nodes.synced, owners.synced]);
    return { pods, nodes, owners: [owners], clock, abort };
  },
  ({ abort }) => abort.abort(),
);

const get = (path: string, query = ''): JsonObject => respondWithMetrics(sources(), `${ROOT}${path}`, new URLSearchParams(query));
const namesIn = (list: JsonObject): readonly string[] =>
  (arrayAt(list, 'items') ?? []).map((item) => (isObject(item) ? (stringAt(objectAt(item, 'metadata'), 'name') ?? '') : '')).sort();
const usageOf = (name: string): unknown => get(`/namespaces/n/pods/${name}`)['containers'];

describe('respondWithMetrics', () => {
  it('lists its resources for discovery', () => {
    expect(get('')).toMatchObject({ kind: 'APIResourceList', resources: [{ name: 'nodes' }, { name: 'pods', namespaced: true }] });
  });

  it('measures a tenth of the requests of a pod without annotations', () => {
    expect(usageOf('idle')).toEqual([
      { name: 'a', usage: { cpu: '5m', memory: '512Ki' } },
      { name: 'b', usage: { cpu: '5m', memory: '512Ki' } },
    ]);
  });

  it('reports the usage from the annotations of a pod, divided among its containers', () => {
    expect(usageOf('own')).toMatchObject([{ usage: { cpu: '500m', memory: '32Mi' } }, { usage: { cpu: '500m', memory: '32Mi' } }]);
  });

  it("recognises upstream's spelling of an annotation", () => {
    expect(usageOf('upstream-spelling')).toMatchObject([{ usage: { cpu: '1' } }, { usage: { cpu: '1' } }]);
  });

  it('ignores an annotation that is not a quantity', () => {
    expect(usageOf('malformed')).toMatchObject([{ usage: { cpu: '100m' } }, { usage: { cpu: '100m' } }]);
  });

  it('divides the load of a ReplicaSet among its running pods', () => {
    expect(usageOf('web-1')).toMatchObject([{ usage: { cpu: '225m' } }, { usage: { cpu: '225m' } }]);
  });

  it('lists running pods of simulated nodes that match the selector', () => {
    expect(namesIn(get('/namespaces/n/pods'))).toEqual(['idle', 'malformed', 'own', 'upstream-spelling', 'web-1', 'web-2']);
    expect(namesIn(get('/pods', 'labelSelector=pod in (own,web-3,elsewhere)'))).toEqual(['own']);
    expect(namesIn(get('/namespaces/other/pods'))).toEqual([]);
  });

  it('sums the usage of the pods of each simulated node', () => {
    // idle 10m, own 1, upstream-spelling 2, malformed 200m, web-1 and web-2 together 900m.
    expect(get('/nodes')['items']).toMatchObject([
      { metadata: { name: 'simulated-1' }, usage: { cpu: '4110m' } },
      { metadata: { name: 'simulated-2' }, usage: { cpu: '0', memory: '0' } },
    ]);
    expect(get('/nodes/simulated-2')).toMatchObject({ usage: { cpu: '0' } });
  });

  it.each(['/namespaces/n/pods/web-3', '/namespaces/n/pods/elsewhere', '/nodes/real', '/nodes/none'])('has no metrics of %s', (path) => {
    expect(() => get(path)).toThrow('not found');
  });

  it('rejects a malformed selector', () => {
    expect(() => get('/pods', 'labelSelector=a in')).toThrow("unable to parse requirement: found '' expected: '('");
  });
});
