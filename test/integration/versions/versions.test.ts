/**
 * Objects that are written in one version and read in another, as release 1.31.1 answered: Events in two groups, autoscalers in two versions, flow control in a
 * version that is deprecated.
 */
import { isObject, type JsonValue } from '../../../shared/values/json';
import { decodeObject } from '../../../shared/api/types';
import { decodeProtobuf } from '../../../shared/serialization';
import { call, json, startFixture, type Fixture } from '../http/fixture';
import { replayRequests } from '../http/replay-requests';
import { COMPARING } from './comparable';

replayRequests(['versions/requests'], COMPARING);

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ naming: 'kubernetes' });
  await call(fixture, '/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: 'versions-test' } }) });
});
afterAll(() => fixture.stop());

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
    expect((await call(fixture, stored, { method: 'POST', body: JSON.stringify(object) })).status).toBe(201);
    const { kind: _, apiVersion: __, ...rest } = json(await call(fixture, `${served}/both`));
    shown = JSON.parse(JSON.stringify(rest));
  });

  test('says the same in protobuf, alone and in lists', async () => {
    const accept = { accept: 'application/vnd.kubernetes.protobuf' };
    const one = decodeProtobuf(type, (await call(fixture, `${served}/both`, { headers: accept })).body);
    expect(decodeObject(type, one.object).object).toEqual(shown);
    const list = decodeProtobuf(`${type}List`, (await call(fixture, served, { headers: accept })).body).object;
    const items = Array.isArray(list['items']) ? list['items'].filter(isObject) : [];
    expect(items.map((item) => decodeObject(type, item).object)).toEqual([shown]);
  });

  test('says the same in lists and watches, whoever wrote it', async () => {
    expect(json(await call(fixture, served))['items']).toEqual([shown]);
    const patch = JSON.stringify({ metadata: { labels: { a: 'b' } } });
    await call(fixture, `${stored}/both`, { method: 'PATCH', body: patch, headers: { 'content-type': 'application/merge-patch+json' } });
    const events = await call(fixture, `${served}?watch=1&resourceVersion=0&timeoutSeconds=1&fieldSelector=metadata.name=both`);
    const [first = ''] = events.text.split('\n');
    expect(JSON.parse(first)).toEqual({ type: 'ADDED', object: json(await call(fixture, `${served}/both`)) });
  });
});

test('counts what is asked for of a version that is going away', async () => {
  await call(fixture, '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas/none/status');
  expect((await call(fixture, '/metrics')).text).toContain(
    'apiserver_requested_deprecated_apis{group="flowcontrol.apiserver.k8s.io",version="v1beta3",resource="flowschemas",' +
      'subresource="status",removed_release="1.32"} 1',
  );
});
