/**
 * Behaviour specific to HTTP/2: reset streams, 100-continue, CONNECT, and the order of events and responses on one
 * connection.
 */
import { constants, type ClientHttp2Stream } from 'node:http2';
import { useResource } from '../../support/use-resource';
import { ADMIN, responseStatus } from './api-call';
import { useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
/** Changes of one object, of which a watch and the writer learn on the same connection. */
const CHANGES = 20;

const api = useServer();
const session = useResource(
  () => api.connectHttp2(),
  (opened) => opened.destroy(),
);

const post = (contentType: string, headers: Record<string, string> = {}): ClientHttp2Stream =>
  session().request({ ':method': 'POST', ':path': CONFIGMAPS, authorization: `Bearer ${ADMIN}`, 'content-type': contentType, ...headers });

it('a body that is cut off where it could end is not stored', async () => {
  const stream = post('application/yaml');
  const closed = new Promise<void>((resolve) => stream.once('close', resolve));
  stream.write('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: half\n');
  // The server has received the body before the stream is reset.
  await new Promise<void>((resolve) => session().ping(() => resolve()));
  stream.close(constants.NGHTTP2_CANCEL);
  await closed;
  const whole = post('application/yaml');
  whole.end('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: whole\n');
  expect(await responseStatus(whole)).toBe(201);
  expect((await api.get(`${CONFIGMAPS}/whole`)).status).toBe(200);
  expect((await api.get(`${CONFIGMAPS}/half`)).status).toBe(404);
});

it('the expectation 100-continue gets 100', async () => {
  const stream = post('application/json', { expect: '100-continue' });
  const status = responseStatus(stream);
  await new Promise<void>((resolve) => stream.once('continue', resolve));
  stream.end('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"expected"}}');
  expect(await status).toBe(201);
});

it('an unknown expectation is rejected', async () => {
  const other = post('application/json', { expect: 'wonders' });
  expect(await responseStatus(other)).toBe(417);
  other.close();
});

it('CONNECT is rejected', async () => {
  const stream = session().request({ ':method': 'CONNECT', ':authority': 'elsewhere:443' });
  expect(await responseStatus(stream)).toBe(405);
  stream.close();
});

it('the event of a change is sent before the response to the change on the same connection', async () => {
  const headers = { authorization: `Bearer ${ADMIN}` };
  /** The events and responses in the order of their arrival. */
  const order: string[] = [];
  /** The resourceVersions in the responses. */
  const versions: string[] = [];
  const watch = session().request({ ':path': `${CONFIGMAPS}?watch=1&fieldSelector=metadata.name%3Dordered`, ...headers });
  await responseStatus(watch);
  let text = '';
  watch.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      order.push(`event ${resourceVersion(text.slice(0, end))}`);
      text = text.slice(end + 1);
    }
  });
  const write = async (stream: ClientHttp2Stream, body: string): Promise<void> => {
    let responseText = '';
    stream.on('data', (chunk: Buffer) => (responseText += chunk.toString()));
    stream.end(body);
    await new Promise<void>((resolve, reject) => stream.once('end', resolve).once('error', reject));
    versions.push(resourceVersion(responseText));
    order.push(`response ${resourceVersion(responseText)}`);
  };
  await write(post('application/json'), '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"ordered"}}');
  for (let index = 0; index < CHANGES; index++) {
    const change = { ':method': 'PATCH', ':path': `${CONFIGMAPS}/ordered`, 'content-type': 'application/merge-patch+json', ...headers };
    await write(session().request(change), `{"data":{"index":"${index}"}}`);
  }
  watch.close();
  expect(versions).toHaveLength(1 + CHANGES);
  expect(order).toEqual(versions.flatMap((version) => [`event ${version}`, `response ${version}`]));
});

function resourceVersion(json: string): string {
  return /"resourceVersion":"(\d+)"/.exec(json)?.[1] ?? '';
}
