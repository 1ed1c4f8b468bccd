/** Forms of requests and answers at the edge of what upstream knows: indentation by media type, streams of lists, methods without a name. */
import { connect } from 'node:tls';
import { useServer } from './fixture';

const api = useServer();
beforeAll(async () => {});

it.each(['/api/v1/namespaces/default', '/api/v1/namespaces', '/api/v1/namespaces/nope', '/api/v1'])(
  'indents %s by media type',
  async (path) => {
    const pretty = await api.get(`${path}?pretty=0`, { accept: 'application/json;pretty=1' });
    expect(pretty.text).toMatch(/^\{\n {2}"kind": /);
    const plain = await api.get(path, { accept: 'application/json;pretty=true' });
    expect(plain.text).toMatch(/^\{"kind":/);
  },
);

it('ends a watch of lists where its first event would stand', async () => {
  const headers = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };
  const answer = await api.get('/api/v1/namespaces?watch=1', { headers });
  expect(answer).toMatchObject({ status: 200, text: '' });
});

it('answers a method that has no name like one that is not taken', async () => {
  const options = { host: '127.0.0.1', port: api.server.port, rejectUnauthorized: false };
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(options, () => socket.write('FOO /api/v1/namespaces HTTP/1.1\r\nHost: x\r\n\r\n'));
    const seen: Buffer[] = [];
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => seen.push(chunk));
    socket.once('close', () => resolve(Buffer.concat(seen).toString()));
  });
  expect(text).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
  expect(text).toContain('"reason":"MethodNotAllowed"');
  expect((await api.read('/version'))['major']).toBe('1');
});
