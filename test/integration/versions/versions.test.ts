/**
 * Objects that are written in one version and read in another, as release 1.31.1 answered: Events in two groups, autoscalers in two versions, flow control in a
 * version that is deprecated.
 */
import { isObject, type JsonValue } from '../../../shared/values/json';
import { decodeObject } from '../../../shared/api/types';
import { decodeProtobuf } from '../../../shared/serialization';
import { useServer } from '../http/fixture';
import { replayRequests } from '../http/replay-requests';
import { COMPARING } from './comparable';

replayRequests(['versions/requests'], COMPARING);

const api = useServer({ naming: 'kubernetes' });
beforeAll(async () => {
  await api.post('/api/v1/namespaces', { metadata: { name: 'versions-test' } });
});

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

describe.each([
  [
    `/apis/autoscaling/v2${NAMESPACED}/horizontalpodautoscalers`,
    `/apis/autoscaling/v1${NAMESPACED}/horizontalpodautoscalers`,
    'autoscaling.v1.HorizontalPodAutoscaler',
    AUTOSCALER,
  ],
  [`/api/v1${NAMESPACED}/events`, `/apis/events.k8s.io/v1${NAMESPACED}/events`, 'events.v1.Event', EVENT],
])('%s', (stored, served, type, object) => {
  let shown: JsonValue;
  beforeAll(async () => {
    expect((await api.post(stored, object)).status).toBe(201);
    const { kind: _, apiVersion: __, ...rest } = await api.read(`${served}/both`);
    shown = JSON.parse(JSON.stringify(rest));
  });

  test('says the same in protobuf, alone and in lists', async () => {
    const accept = { accept: 'application/vnd.kubernetes.protobuf' };
    const one = decodeProtobuf(type, (await api.get(`${served}/both`, { headers: accept })).body);
    expect(decodeObject(type, one.object).object).toEqual(shown);
    const list = decodeProtobuf(`${type}List`, (await api.get(served, { headers: accept })).body).object;
    const items = Array.isArray(list['items']) ? list['items'].filter(isObject) : [];
    expect(items.map((item) => decodeObject(type, item).object)).toEqual([shown]);
  });

  test('says the same in lists and watches, whoever wrote it', async () => {
    expect((await api.read(served))['items']).toEqual([shown]);
    const patch = JSON.stringify({ metadata: { labels: { a: 'b' } } });
    await api.merge(`${stored}/both`, patch);
    const events = await api.get(`${served}?watch=1&resourceVersion=0&timeoutSeconds=1&fieldSelector=metadata.name=both`);
    const [first = ''] = events.text.split('\n');
    expect(JSON.parse(first)).toEqual({ type: 'ADDED', object: await api.read(`${served}/both`) });
  });
});

test('counts what is asked for of a version that is going away', async () => {
  await api.get('/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas/none/status');
  expect((await api.get('/metrics')).text).toContain(
    'apiserver_requested_deprecated_apis{group="flowcontrol.apiserver.k8s.io",version="v1beta3",resource="flowschemas",' +
      'subresource="status",removed_release="1.32"} 1',
  );
});
