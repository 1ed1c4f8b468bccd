/** Watches over HTTP: events in each representation, timeouts, and rejected watches. */
import type { ClientHttp2Session } from 'node:http2';
import { JsonEncoder } from '../../../apiserver/endpoints/representation/json-encoder';
import { waitUntil } from '../../support/programs';
import { ADMIN, TABLE } from './api-call';
import { useServer } from './fixture';
import { openWatch, type OpenWatch } from './open-watch';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

const api = useServer();

const openConfigMapWatch = (query: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenWatch> =>
  openWatch(api, `${CONFIGMAPS}?watch=1&${query}`, headers);

async function deleteConfigMap(name: string): Promise<void> {
  await api.delete(`${CONFIGMAPS}/${name}`);
}

it('a watch sends its header before the first event, then each event as a line', async () => {
  const stream = await openConfigMapWatch('resourceVersion=&fieldSelector=metadata.name%3Dw1');
  expect(stream.response.headers['content-type']).toBe('application/json');
  expect(stream.response.headers['transfer-encoding']).toBe('chunked');
  await api.createConfigMap('w1', { a: '1' });
  await api.mergePatch(`${CONFIGMAPS}/w1`, '{"data":{"a":"2"}}');
  await deleteConfigMap('w1');
  await waitUntil('three events', () => stream.events.length === 3);
  expect(stream.events).toMatchObject([
    { type: 'ADDED', object: { kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1' } } },
    { type: 'MODIFIED', object: { data: { a: '2' } } },
    { type: 'DELETED', object: { data: { a: '2' } } },
  ]);
  const versions = stream.events.map(({ object }) => Number(Object(object).metadata.resourceVersion));
  expect(versions[2]).toBeGreaterThan(versions[1] ?? Number.POSITIVE_INFINITY);
  stream.close();
});

it('a watch of Tables sends the columns once', async () => {
  const stream = await openConfigMapWatch('fieldSelector=metadata.name%3Dw2', { accept: TABLE });
  await api.createConfigMap('w2');
  await deleteConfigMap('w2');
  await waitUntil('two events', () => stream.events.length === 2);
  expect(stream.events).toMatchObject([
    {
      type: 'ADDED',
      object: {
        kind: 'Table',
        columnDefinitions: [{ name: 'Name' }, { name: 'Data' }, { name: 'Age' }],
        rows: [{ cells: ['w2', 0, expect.anything()] }],
      },
    },
    { type: 'DELETED', object: { kind: 'Table', columnDefinitions: null, rows: [{ object: { kind: 'PartialObjectMetadata' } }] } },
  ]);
  stream.close();
});

it('a bookmark marks the end of the initial events', async () => {
  await api.createConfigMap('w3');
  const stream = await openConfigMapWatch(
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dw3',
  );
  await waitUntil('event and bookmark', () => stream.events.length === 2);
  expect(stream.events).toMatchObject([
    { type: 'ADDED', object: { metadata: { name: 'w3' } } },
    {
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', metadata: { creationTimestamp: null, annotations: { 'platform.io/initial-events-end': 'true' } } },
    },
  ]);
  stream.close();
  await deleteConfigMap('w3');
});

it('a watch ends normally after timeoutSeconds', async () => {
  const stream = await openConfigMapWatch('timeoutSeconds=1&fieldSelector=metadata.name%3Dnone');
  await waitUntil('the end of the stream', stream.isEnded);
  expect(stream.response.complete).toBe(true);
});

it('a watch receives a last bookmark before it ends after timeoutSeconds', async () => {
  const stream = await openConfigMapWatch('timeoutSeconds=3&allowWatchBookmarks=true&resourceVersion=&fieldSelector=metadata.name%3Dnone');
  await api.createConfigMap('w4');
  await waitUntil('the end of the stream', stream.isEnded);
  expect(stream.response.complete).toBe(true);
  const annotations = { 'platform.io/initial-events-end': 'true' };
  expect(stream.events).toMatchObject([{ type: 'BOOKMARK', object: { metadata: { annotations } } }, { type: 'BOOKMARK' }]);
  expect(stream.events[1]).not.toMatchObject({ object: { metadata: { annotations } } });
  await deleteConfigMap('w4');
});

it.each(['-1', '-9223372036854775808'])('a watch ends immediately with timeoutSeconds=%s', async (timeout) => {
  const stream = await openConfigMapWatch(`timeoutSeconds=${timeout}&fieldSelector=metadata.name%3Dnone`);
  await waitUntil('the end of the stream', stream.isEnded);
  expect(stream.response.complete).toBe(true);
  expect(stream.events).toEqual([]);
});

it('a watch in YAML is rejected with the media types of watches', async () => {
  const yaml = await api.get(`${CONFIGMAPS}?watch=1`, { accept: 'application/yaml' });
  expect(yaml.status).toBe(406);
  expect(yaml.text).toContain('application/json;stream=watch');
});

it('a watch with resourceVersionMatch=Exact is rejected', async () => {
  const rejected = await api.get(`${CONFIGMAPS}?watch=1&resourceVersionMatch=Exact`);
  expect(rejected.message).toBe(
    'ListOptions.meta.platform.io "" is invalid: [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless ' +
      'sendInitialEvents is provided, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
  );
});

it('a watch of one object is rejected when its field selector names another one', async () => {
  const rejected = await api.get('/api/v1/watch/namespaces/default/configmaps/a?fieldSelector=metadata.name%3Db');
  expect(rejected.message).toBe("fieldSelector metadata.name doesn't match requested name");
});

it('a change is encoded once for a hundred watches over both protocols', async () => {
  const streams = await Promise.all(Array.from({ length: 50 }, () => openConfigMapWatch('fieldSelector=metadata.name%3Dshared')));
  const session = api.connectHttp2();
  const received = await Promise.all(Array.from({ length: 50 }, () => openHttp2Watch(session)));
  const frames = jest.spyOn(JsonEncoder.prototype, 'frame');
  await api.createConfigMap('shared');
  await waitUntil(
    'all events',
    () => streams.every(({ events }) => events.length === 1) && received.every(({ text }) => text.endsWith('\n')),
  );
  expect(frames).toHaveBeenCalledTimes(1);
  frames.mockRestore();
  for (const { text } of received) expect(JSON.parse(text)).toEqual(streams[0]?.events[0]);
  for (const stream of streams) stream.close();
  session.destroy();
});

function openHttp2Watch(session: ClientHttp2Session): Promise<{ text: string }> {
  const stream = session.request({
    ':path': `${CONFIGMAPS}?watch=1&fieldSelector=metadata.name%3Dshared`,
    authorization: `Bearer ${ADMIN}`,
  });
  const received = { text: '' };
  stream.on('data', (chunk: Buffer) => (received.text += chunk.toString()));
  return new Promise((resolve, reject) => {
    stream.on('response', () => resolve(received));
    stream.on('error', reject);
  });
}
