/** What only HTTP/2 has: bodies that are cut off in order, and requests that ask before they send. */
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { ADMIN, call, startFixture, type Fixture } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

let fixture: Fixture;
let session: ClientHttp2Session;

beforeAll(async () => {
  fixture = await startFixture();
  session = connect(`https://127.0.0.1:${fixture.server.port}`, { rejectUnauthorized: false });
});
afterAll(async () => {
  session.destroy();
  await fixture.stop();
});

const post = (contentType: string, headers: Record<string, string> = {}): ClientHttp2Stream =>
  session.request({ ':method': 'POST', ':path': CONFIGMAPS, authorization: `Bearer ${ADMIN}`, 'content-type': contentType, ...headers });

const statusOf = (stream: ClientHttp2Stream): Promise<unknown> =>
  new Promise((resolve, reject) => {
    stream.on('response', (headers) => resolve(headers[':status']));
    stream.on('error', reject);
  });

it('does nothing with a body that was cut off where it could have ended', async () => {
  const stream = post('application/yaml');
  const closed = new Promise<void>((resolve) => stream.once('close', resolve));
  stream.write('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: half\n');
  // The server has it before it hears of the end.
  await new Promise<void>((resolve) => session.ping(() => resolve()));
  stream.close(constants.NGHTTP2_CANCEL);
  await closed;
  const whole = post('application/yaml');
  whole.end('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: whole\n');
  expect(await statusOf(whole)).toBe(201);
  expect((await call(fixture, `${CONFIGMAPS}/whole`)).status).toBe(200);
  expect((await call(fixture, `${CONFIGMAPS}/half`)).status).toBe(404);
});

it('tells a client to go on that asks first, and refuses other expectations', async () => {
  const stream = post('application/json', { expect: '100-continue' });
  const status = statusOf(stream);
  await new Promise<void>((resolve) => stream.once('continue', resolve));
  stream.end('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"asked"}}');
  expect(await status).toBe(201);
  const other = post('application/json', { expect: 'wonders' });
  expect(await statusOf(other)).toBe(417);
  other.close();
});

it('is no proxy', async () => {
  const stream = session.request({ ':method': 'CONNECT', ':authority': 'elsewhere:443' });
  expect(await statusOf(stream)).toBe(405);
  stream.close();
});
