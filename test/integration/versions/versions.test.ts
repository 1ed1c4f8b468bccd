/**
 * Objects that are written in one API version and read in another, compared with release 1.31.1: Events in two groups,
 * autoscalers in two versions, flow control in a deprecated version.
 */
import { runtimeConfigFlag } from '../../../apiserver/options/flags/runtime-config';
import type { KindRow } from '../../../shared/api/kinds';
import { isObject } from '../../../shared/values/json';
import { isBody, type Json } from '../../replay/json-response';
import type { RecordedResponse } from '../../replay/requests/request-recording';
import { decodeObject } from '../../../shared/api/types';
import { decodeProtobuf } from '../../../shared/serialization';
import { useResource } from '../../support/use-resource';
import { useServer, useStarter } from '../http/fixture';
import { replayRequests, type ReplayOptions } from '../http/replay-requests';

function comparable(response: RecordedResponse): RecordedResponse {
  return { ...response, body: comparableBody(response.body) };
}

/** Leaves out what the server writes to FlowSchemas in the background: the status and its managed fields. */
function comparableBody(body: Json): Json {
  if (!isBody(body) || body['kind'] !== 'FlowSchema' || !isBody(body['metadata'])) return body;
  const { status: _status, ...rest } = body;
  const { managedFields: _managedFields, ...metadata } = body['metadata'];
  return { ...rest, metadata };
}

const COMPARING: Pick<ReplayOptions, 'comparable' | 'withDeviation'> = {
  withDeviation: ({ request, answer: response }) => ({ request, answer: comparable(response) }),
  comparable,
};

const flag = runtimeConfigFlag('');
const kindsWith = (text: string): readonly KindRow[] => flag.parse(text, flag.default).kinds;

replayRequests(['versions/requests'], COMPARING);
replayRequests(['versions/optional'], { ...COMPARING, server: () => ({ kinds: kindsWith('api/all=true') }) });

const start = useStarter();
const api = useServer({ naming: 'kubernetes' });
beforeAll(() => api.create('/api/v1/namespaces', { metadata: { name: 'versions-test' } }));

const NAMESPACED = '/namespaces/versions-test';
const AUTOSCALER = {
  metadata: { name: 'both' },
  spec: {
    maxReplicas: 3,
    scaleTargetRef: { kind: 'Deployment', name: 'd' },
    metrics: [{ type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '5' } } }],
  },
};
const EVENT = {
  metadata: { name: 'both' },
  involvedObject: { namespace: 'versions-test', kind: 'Pod', name: 'p' },
  reason: 'R',
  message: 'm',
  type: 'Normal',
};

const AUTOSCALERS = `${NAMESPACED}/horizontalpodautoscalers`;
describe.each<[storedPath: string, servedPath: string, type: string, object: object]>([
  [`/apis/autoscaling/v2${AUTOSCALERS}`, `/apis/autoscaling/v1${AUTOSCALERS}`, 'autoscaling.v1.HorizontalPodAutoscaler', AUTOSCALER],
  [`/api/v1${NAMESPACED}/events`, `/apis/events.k8s.io/v1${NAMESPACED}/events`, 'events.v1.Event', EVENT],
])('an object of %s that is read from %s', (storedPath, servedPath, type, object) => {
  /** The object in the other version, without its kind and apiVersion. */
  const converted = useResource(async () => {
    await api.create(storedPath, object);
    const { kind: _kind, apiVersion: _apiVersion, ...members } = await api.read(`${servedPath}/both`);
    return members;
  });

  test('has the same content in protobuf, alone and in lists', async () => {
    const accept = 'application/vnd.kubernetes.protobuf';
    const decoded = decodeProtobuf(type, (await api.get(`${servedPath}/both`, { accept })).body);
    expect(decodeObject(type, decoded.object).object).toEqual(converted());
    const list = decodeProtobuf(`${type}List`, (await api.get(servedPath, { accept })).body).object;
    const items = Array.isArray(list['items']) ? list['items'].filter(isObject) : [];
    expect(items.map((item) => decodeObject(type, item).object)).toEqual([converted()]);
  });

  test('has the same content in lists and watches', async () => {
    expect((await api.read(servedPath))['items']).toEqual([converted()]);
    await api.mergePatch(`${storedPath}/both`, { metadata: { labels: { a: 'b' } } });
    const events = await api.get(`${servedPath}?watch=1&resourceVersion=0&timeoutSeconds=1&fieldSelector=metadata.name=both`);
    const [first = ''] = events.text.split('\n');
    expect(JSON.parse(first)).toEqual({ type: 'ADDED', object: await api.read(`${servedPath}/both`) });
  });
});

test('requests for a deprecated version are counted', async () => {
  await api.get('/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas/none/status');
  expect(await api.metrics()).toContain(
    'apiserver_requested_deprecated_apis{group="flowcontrol.apiserver.k8s.io",version="v1beta3",resource="flowschemas",' +
      'subresource="status",removed_release="1.32"} 1',
  );
});

test('a version is served without the version in which it is stored', async () => {
  const server = await start({ kinds: kindsWith('autoscaling/v2=false,v1=false,coordination.platform.io/v1=false') });
  const spec = { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd' } };
  const path = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
  expect((await server.post(path, { metadata: { name: 'h' }, spec })).status).toBe(201);
  expect((await server.get(path.replace('v1', 'v2'))).status).toBe(404);
  expect((await server.get('/api/v1/namespaces')).status).toBe(404);
});
