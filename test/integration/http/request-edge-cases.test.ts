/** Edge cases of requests and responses: indentation by media type, watches of lists, unknown methods. */
import { text } from 'node:stream/consumers';
import { useServer } from './fixture';

const api = useServer();

it.each(['/api/v1/namespaces/default', '/api/v1/namespaces', '/api/v1/namespaces/nope', '/api/v1'])(
  '%s is indented when the media type has pretty=1, whatever the query parameter',
  async (path) => {
    expect((await api.get(`${path}?pretty=0`, { accept: 'application/json;pretty=1' })).text).toMatch(/^\{\n {2}"kind": /);
    expect((await api.get(path, { accept: 'application/json;pretty=true' })).text).toMatch(/^\{"kind":/);
  },
);

it('a watch of PartialObjectMetadataList ends without an event', async () => {
  const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
  expect(await api.get('/api/v1/namespaces?watch=1', { accept })).toMatchObject({ status: 200, text: '' });
});

it('an unknown method is rejected with 405', async () => {
  const socket = api.openSocket();
  socket.write('FOO /api/v1/namespaces HTTP/1.1\r\nHost: x\r\n\r\n');
  const received = await text(socket);
  expect(received).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
  expect(received).toContain('"reason":"MethodNotAllowed"');
  expect((await api.read('/version'))['major']).toBe('1');
});
