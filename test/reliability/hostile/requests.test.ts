/**
 * Hostile paths, parameters, headers and random requests against an API server process: they are served, rejected or
 * end with their connection, and never fail inside the server. A resource version that is not reached ends with 504.
 */
import * as fc from 'fast-check';
import { useHostileTarget, CONFIGMAPS, exchangeRaw } from './hostile-client';

const target = useHostileTarget();

/** Path segments, query parameters, bodies and media types that a parser may mistake for another or for the end of one. */
const SEGMENTS = [
  // The first one is empty.
  ...' v1 api apis .. %2f %00 %zz namespaces default configmaps pods calm status watch * ? ~ __proto__ ü'.split(' '),
  'A'.repeat(300),
];
const VALUES = '|0|-1|abc|1.5|99999999999999999999|true|%00|a=b|a in (|!|%ff|{}|All|Exact|NotOlderThan'.split('|');
const PARAMETERS = [
  ...'watch limit continue resourceVersion resourceVersionMatch labelSelector fieldSelector pretty'.split(' '),
  ...'dryRun fieldValidation sendInitialEvents timeoutSeconds gracePeriodSeconds propagationPolicy includeObject'.split(' '),
];
const BODIES = [
  '',
  '{}',
  '[]',
  'null',
  '{"kind":1}',
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":{}}}',
  '{"metadata":[]}',
  '[{"op":"add"}]',
  '{"apiVersion":"v1","kind":"DeleteOptions","preconditions":5}',
  'a: b',
  '\u0000',
];
const MEDIA_TYPES = [
  'application/json',
  'application/yaml',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/apply-patch+yaml',
  'x',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  '*/*',
  'application/vnd.kubernetes.protobuf',
];
const RANDOM_REQUESTS = 400;
/** Valid and invalid parts in any combination: most requests fail, and some come as far as a handler. */
const hostileRequest = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
  path: fc.oneof(
    fc.array(fc.constantFrom(...SEGMENTS), { maxLength: 8 }).map((parts) => `/${parts.join('/')}`),
    fc.constantFrom(
      CONFIGMAPS,
      `${CONFIGMAPS}/calm`,
      '/api/v1/namespaces/default',
      '/apis/coordination.k8s.io/v1/leases',
      '/api/v1/pods',
      '/openapi/v3',
      '/version',
      '/metrics',
    ),
  ),
  query: fc.array(fc.tuple(fc.constantFrom(...PARAMETERS), fc.constantFrom(...VALUES)), { maxLength: 4 }),
  body: fc.constantFrom(...BODIES),
  type: fc.constantFrom(...MEDIA_TYPES),
  accept: fc.constantFrom(...MEDIA_TYPES),
});

describe('the API server, given a hostile request line or header,', () => {
  it.each<readonly [name: string, path: string, acceptableStatuses: number[]]>([
    ['.. as a path segment', '/api/v1/namespaces/../namespaces', [400, 404]],
    ['.. as a percent-encoded path segment', '/api/v1/namespaces/%2e%2e/secrets', [400, 404]],
    ['.. as a percent-encoded name', `${CONFIGMAPS}/%2e%2e`, [400, 404]],
    ['a percent-encoded slash', `${CONFIGMAPS}/a%2fb`, [400, 404]],
    ['a percent-encoded backslash', `${CONFIGMAPS}/..%5c..%5cetc`, [400, 404]],
    ['a percent-encoded NUL', `${CONFIGMAPS}/a%00b`, [400, 404]],
    ['an invalid percent-encoding', `${CONFIGMAPS}/%zz`, [400, 404]],
    ['percent-encoded bytes that are not UTF-8', `${CONFIGMAPS}/%ff%fe`, [400, 404]],
    ['empty path segments', '/api/v1//namespaces///configmaps', [301, 307, 400, 404]],
    ['a thousand path segments', `/api/v1${'/a'.repeat(1_000)}`, [404]],
    ['a name of 100,000 characters', `${CONFIGMAPS}/${'a'.repeat(100_000)}`, [414]],
    ['a resourceVersion of 400 digits', `${CONFIGMAPS}?resourceVersion=${'9'.repeat(400)}`, [400]],
    ['a negative resourceVersion', `${CONFIGMAPS}?resourceVersion=-5`, [400]],
    ['a resourceVersion that is not a number', `${CONFIGMAPS}?resourceVersion=latest`, [400]],
    ['a future resourceVersion', `${CONFIGMAPS}?resourceVersion=9007199254740990`, [504]],
    ['a resourceVersion of 64 bits', `${CONFIGMAPS}?resourceVersion=18446744073709551615`, [400, 504]],
    [
      'a watch from a future resourceVersion',
      `${CONFIGMAPS}?watch=true&resourceVersion=9007199254740990&timeoutSeconds=1`,
      [200, 400, 504],
    ],
    [
      'a forged continue token',
      `${CONFIGMAPS}?limit=1&continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":9,"start":"../../secrets/"}').toString('base64url')}`,
      [400],
    ],
    ['a continue token that is not base64', `${CONFIGMAPS}?limit=1&continue=%00%ff`, [400]],
    [
      'a continue token with a future revision',
      `${CONFIGMAPS}?limit=1&continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":99999999999,"start":"a"}').toString('base64url')}`,
      [400, 410, 504],
    ],
    // The server rejects more than 64 KiB of URL and headers with 414, the parser more than 128 KiB with 431.
    ['a continue token of 500,000 characters', `${CONFIGMAPS}?limit=1&continue=${'A'.repeat(500_000)}`, [431]],
    ['a continue token of 70,000 characters', `${CONFIGMAPS}?limit=1&continue=${'A'.repeat(70_000)}`, [414]],
    ['a continue token of 60,000 characters', `${CONFIGMAPS}?limit=1&continue=${'A'.repeat(60_000)}`, [400]],
    ['a limit of 50 digits', `${CONFIGMAPS}?limit=${'9'.repeat(50)}`, [400]],
    ['a timeoutSeconds of 30 digits', `${CONFIGMAPS}?watch=true&timeoutSeconds=${'9'.repeat(30)}`, [400]],
    [
      'a label selector of 100,000 values',
      `${CONFIGMAPS}?labelSelector=${encodeURIComponent(`a in (${Array.from({ length: 100_000 }, (_, n) => `v${n}`).join(',')})`)}`,
      [431],
    ],
    ['a label selector of 50,000 opening parentheses', `${CONFIGMAPS}?labelSelector=${'('.repeat(50_000)}`, [400]],
    ['10,000 query parameters', `${CONFIGMAPS}?${Array.from({ length: 10_000 }, (_, n) => `p${n}=1`).join('&')}`, [414]],
    ['5,000 query parameters', `${CONFIGMAPS}?${Array.from({ length: 5_000 }, (_, n) => `p${n}=1`).join('&')}`, [200, 400]],
  ])('responds to %s without an internal error', async (_, path, statuses) => {
    const { client } = target();
    const response = await exchangeRaw(client, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`, 8_000);
    expect(statuses).toContain(response.status);
  });

  // The status `undefined` is that of a connection that the server closed without a response.
  it.each<readonly [name: string, bytes: string, acceptableStatuses: (number | undefined)[]]>([
    ['a raw NUL in the path', `GET ${CONFIGMAPS}/a\u0000b HTTP/1.1\r\nHost: x\r\n\r\n`, [400, undefined]],
    [
      'two Content-Length headers',
      `POST ${CONFIGMAPS} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      [400, undefined],
    ],
    [
      'both Content-Length and chunked Transfer-Encoding',
      `POST ${CONFIGMAPS} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      [400, undefined],
    ],
    ['2 MiB of headers', `GET ${CONFIGMAPS} HTTP/1.1\r\nHost: x\r\n${`X-A: ${'a'.repeat(60_000)}\r\n`.repeat(35)}\r\n`, [431, undefined]],
    ['bytes that are not HTTP', '\u0016\u0003\u0001 hello\r\n\r\n', [400, undefined]],
    ['an HTTP/2 preface without ALPN', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 505, undefined]],
    ['an unknown method', `SMASH ${CONFIGMAPS} HTTP/1.1\r\nHost: x\r\n\r\n`, [400, 405, undefined]],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', [400, 404, 405, undefined]],
    [
      'an Upgrade to websocket',
      `GET ${CONFIGMAPS} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      [200, 400, 403, 404, undefined],
    ],
    [
      'an unknown Expect header',
      `POST ${CONFIGMAPS} HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: 2\r\n\r\n{}`,
      [400, 415, 417, undefined],
    ],
  ])('responds without an internal error or closes the connection for %s', async (_, bytes, statuses) => {
    const { client } = target();
    expect(statuses).toContain((await exchangeRaw(client, Buffer.from(bytes, 'latin1'))).status);
  });

  it('never responds to random requests with 500, 502 or 503', async () => {
    const { client } = target();
    await fc.assert(
      fc.asyncProperty(hostileRequest, async ({ method, path, query, body, type, accept }) => {
        // A watch ends after a second.
        const parameters = [...query, ['timeoutSeconds', '1']].map(([name, value]) => `${name}=${value}`).join('&');
        // Percent signs of the values stay as they are.
        const url = encodeURI(`${path}?${parameters}`).replaceAll('%25', '%');
        const headers = { 'content-type': type, accept };
        const hasBody = body !== '' && method !== 'GET' && method !== 'HEAD';
        const response = await client.send(method, url, hasBody ? body : undefined, { headers });
        expect([500, 502, 503]).not.toContain(response.status);
      }),
      { numRuns: RANDOM_REQUESTS },
    );
  }, 60_000);
});
