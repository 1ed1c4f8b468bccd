/**
 * Requests that the server rejects for their path, method or list options. The statuses and messages are those of
 * upstream.
 */
import { text } from 'node:stream/consumers';
import { useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const CONFIGMAP = `${CONFIGMAPS}/one`;

const api = useServer();
beforeAll(() => api.createConfigMap('one'));

describe('a path', () => {
  const NO_ROUTE = 'the server could not find the requested resource';

  it.each([
    ['/api/v1/namespaces/../nodes', 404, NO_ROUTE],
    [`${CONFIGMAPS}/..`, 400, `Name parameter invalid: "..": may not be '..'`],
    [`${CONFIGMAPS}/a%25b`, 400, `Name parameter invalid: "a%b": may not contain '%'`],
    [`${CONFIGMAPS}/a%2Fb`, 404, NO_ROUTE],
    [`${CONFIGMAPS}/a%00b`, 404, 'configmaps "a\\x00b" not found'],
    ['/api/v1/namespaces//configmaps', 404, NO_ROUTE],
    ['/api//v1/namespaces/default', 404, NO_ROUTE],
    ['/api/v1/namespaces/%2e%2e/configmaps', 400, 'invalid key: "/configmaps/.."'],
    [`${CONFIGMAP}/status`, 404, NO_ROUTE],
    ['/api/v1/namespaces/default/nodes', 404, NO_ROUTE],
    ['/api/v1/gizmos', 404, NO_ROUTE],
    ['/api/v2/pods', 404, NO_ROUTE],
  ])('%s is rejected with the Status %i: %s', async (path, status, message) => {
    expect((await api.get(path)).refusal).toEqual([status, message]);
  });

  it.each([
    ['//api/v1/namespaces', 404, '404 page not found\n'],
    ['/nope', 404, '404 page not found\n'],
    ['/apis/none/v1/foos', 404, '404 page not found\n'],
    [`${CONFIGMAPS}/%zz`, 400, '400 Bad Request'],
  ])('%s is rejected with %i as plain text', async (path, status, body) => {
    expect(await api.get(path)).toMatchObject({ status, text: body, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  });

  it('may end with a slash', async () => {
    expect((await api.get(`${CONFIGMAP}/`)).status).toBe(200);
  });
});

describe('a method', () => {
  it.each([
    ['POST', '/api/v1/configmaps'],
    ['POST', CONFIGMAP],
    ['PUT', CONFIGMAPS],
    ['DELETE', '/api/v1/configmaps'],
    ['OPTIONS', CONFIGMAPS],
    ['PROPFIND', CONFIGMAP],
  ])('%s is not allowed on %s', async (method, path) => {
    const message = 'the server does not allow this method on the requested resource';
    expect((await api.call(path, { method })).refusal).toEqual([405, message]);
  });

  it('that HTTP does not define is not allowed', async () => {
    const socket = api.openSocket();
    socket.write('FOO /api/v1/namespaces HTTP/1.1\r\nHost: x\r\n\r\n');
    const received = await text(socket);
    expect(received).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(received).toContain('"reason":"MethodNotAllowed"');
  });
});

describe('the options of a list', () => {
  /** The path `../x` as the start key of the next page. */
  const TRAVERSING_TOKEN = Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"../x"}').toString('base64url');
  const INITIAL_EVENTS_FORBIDDEN =
    'ListOptions.meta.platform.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list';
  const invalidVersion = (version: string): string =>
    `resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": invalid syntax`;

  it.each([
    ['limit=abc', 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['limit=99999999999999999999', 400, 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    ['resourceVersion=abc', 400, invalidVersion('abc')],
    ['resourceVersion=-1', 400, invalidVersion('-1')],
    ['resourceVersion=1e3&limit=1', 400, `invalid resource version: ${invalidVersion('1e3')}`],
    ['timeout=abc', 400, 'invalid timeout specified in the request URL - time: invalid duration "abc"'],
    [`continue=${TRAVERSING_TOKEN}`, 400, 'invalid continue token: continue key is not valid: ../x'],
    ['sendInitialEvents=true', 422, INITIAL_EVENTS_FORBIDDEN],
  ])('%s are rejected with %i: %s', async (query, status, message) => {
    expect((await api.get(`${CONFIGMAPS}?${query}`)).refusal).toEqual([status, message]);
  });
});
