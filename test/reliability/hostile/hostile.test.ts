/**
 * Bad input against the real process: whatever a client sends, it gets a Status error or a closed connection; the server never answers 500,
 * never ends, keeps its memory bounded, and nobody else is disturbed.
 */
import { connect as connectHttp2, constants, type ClientHttp2Session } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import type { TLSSocket } from 'node:tls';
import * as fc from 'fast-check';
import { ApiClient, type WatchEvent } from '../../support/api-client';
import { freePort, removeFolder, startApiServer, temporaryFolder, waitUntil, type ApiServer } from '../../support/programs';
import { anonymousMemory, latencies, rawConnection, rawExchange } from './hostile-client';

const list = '/api/v1/namespaces/default/configmaps';
const folder = temporaryFolder('hostile');
let server: ApiServer;
let client: ApiClient;
let slow: SlowClient;

const object = (name: string, more: object = {}): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more });
const memory = (): number => anonymousMemory(server.process.pid);

/** Sends the head of a request a few bytes at a time, and never its end. */
class SlowClient {
  closedAfterMs: number | undefined;
  private readonly begin = performance.now();
  private readonly drip: NodeJS.Timeout;

  constructor(private readonly socket: TLSSocket) {
    socket.on('error', () => undefined);
    socket.on('data', () => undefined);
    socket.once('close', () => {
      this.closedAfterMs = performance.now() - this.begin;
      this.stop();
    });
    socket.write(`GET ${list} HTTP/1.1\r\nHost: 127.0.0.1\r\n`);
    this.drip = setInterval(() => socket.write('x'), 1_000);
  }

  stop(): void {
    clearInterval(this.drip);
    this.socket.destroy();
  }
}

beforeAll(async () => {
  server = await startApiServer({ folder, securePort: await freePort() });
  client = new ApiClient(server.address, server.certificates);
  slow = new SlowClient(await rawConnection(client));
  expect((await client.send('POST', list, object('calm', { data: { a: '1' } }))).status).toBe(201);
}, 60_000);

afterEach(async () => {
  expect(server.process.running).toBe(true);
  expect((await client.get('/livez')).status).toBe(200);
});

afterAll(async () => {
  slow.stop();
  client.close();
  const code = await server.process.stop();
  removeFolder(folder);
  expect(code).toBe(0);
});

describe('bodies', () => {
  const yaml = { 'content-type': 'application/yaml' };
  const nested = (levels: number, open: string, close: string): string => open.repeat(levels) + close.repeat(levels);
  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]', ...'bcdefghijk'.split('').map((name, n) => `${name}: &${name} [${Array<string>(10).fill(`*${'abcdefghij'[n]}`).join(',')}]`)].join('\n');

  it.each<[string, string | Buffer, Record<string, string>, number | number[]]>([
    ['cut off JSON', '{"apiVersion":"v1","kind":"ConfigMap"', {}, 400],
    ['JSON 200,000 arrays deep', nested(200_000, '[', ']'), {}, 400],
    ['JSON 100,000 objects deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, {}, 400],
    ['depth in an unknown field', `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"x":${nested(50_000, '[', ']')}}`, {}, 400],
    ['depth in a label', `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep","labels":${nested(5_000, '[', ']')}}}`, {}, 400],
    ['a lone surrogate and NUL in a name', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"\\ud800\\u0000"}}', {}, 422],
    ['nothing but blanks', ' \n\t ', {}, 400],
    ['a UTF-16 body', Buffer.from('\ufeff{"kind":"ConfigMap"}', 'utf16le'), {}, 400],
    ['bytes that are no UTF-8 outside a string', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), {}, 400],
    ['cut off YAML', 'a: [', yaml, 400],
    ['a YAML alias bomb', bomb, yaml, 400],
    ['YAML that refers to itself', 'a: &a [*a]', yaml, 400],
    ['YAML 20,000 sequences deep', nested(20_000, '[', ']'), yaml, 400],
    ['YAML 5,000 blocks deep', Array.from({ length: 5_000 }, (_, n) => `${' '.repeat(n)}a:`).join('\n').slice(0, 3_000_000), yaml, [400, 413, 422]],
    ['a YAML tag that asks for code', 'a: !!js/function "function(){}"', yaml, [400, 422]],
    ['more than 3 MiB', `{"a":"${'x'.repeat(3 * 1024 * 1024)}"}`, {}, 413],
    ['more than 3 MiB of YAML', `a: "${'x'.repeat(3 * 1024 * 1024)}"`, yaml, 413],
    ['an unknown media type', '<xml/>', { 'content-type': 'text/xml' }, 415],
    ['a broken protobuf envelope', 'k8s\u0000\u00ff\u00ff', { 'content-type': 'application/vnd.kubernetes.protobuf' }, 400],
  ])('refuses %s', async (_, body, headers, statuses) => {
    const answer = await client.send('POST', list, body, { headers });
    expect([statuses].flat()).toContain(answer.status);
    expect(answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', code: answer.status });
  });

  it('keeps `__proto__` a name like any other', async () => {
    const sneaky = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"proto","labels":{"constructor":"a"}},"data":{"__proto__":"b","toString":"c"}}';
    const made = await client.send('POST', `${list}?fieldValidation=Strict`, sneaky);
    expect(made.status).toBe(201);
    expect(made.text).toContain('"data":{"__proto__":"b","toString":"c"}');
    const polluted = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"plain"},"__proto__":{"data":{"evil":"1"}},"constructor":{"prototype":{"evil":1}}}';
    expect((await client.send('POST', `${list}?fieldValidation=Ignore`, polluted)).text).not.toContain('evil');
    for (const type of ['merge-patch', 'json-patch']) {
      const patch = type === 'merge-patch' ? '{"__proto__":{"evil":1},"metadata":{"__proto__":{"evil":1}}}' : '[{"op":"add","path":"/__proto__/evil","value":1}]';
      const patched = await client.send('PATCH', `${list}/plain`, patch, { headers: { 'content-type': `application/${type}+json` } });
      expect(patched.status).toBeLessThan(500);
    }
    const read = await client.get(`${list}/plain`);
    expect(read.status).toBe(200);
    expect(read.text).not.toContain('evil');
  });

  it('bounds what a JSON Patch may grow to', async () => {
    const headers = { 'content-type': 'application/json-patch+json' };
    const doubling = [{ op: 'add', path: '/metadata/annotations', value: { a: 'x'.repeat(1_000) } }];
    const copies = Array.from({ length: 40 }, (_, n) => ({ op: 'copy', from: '/metadata/annotations', path: `/metadata/annotations/n${n}` }));
    const before = memory();
    const grown = await client.send('PATCH', `${list}/calm`, [...doubling, ...copies], { headers });
    expect(grown.status).toBeGreaterThanOrEqual(400);
    expect(grown.status).toBeLessThan(500);
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }));
    expect((await client.send('PATCH', `${list}/calm`, many, { headers })).status).toBe(413);
    expect(memory() - before).toBeLessThan(200);
  });

  it('does not wait for ever for a body that was promised, and bounds one without a length', async () => {
    const head = `POST ${list} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`;
    const short = await rawExchange(client, `${head}Content-Length: 100\r\n\r\n{`, 500);
    expect(short.status).toBeUndefined();
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const endless = await rawExchange(client, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(64)}`);
    expect(endless.status).toBe(413);
  });
});

describe('paths, parameters and heads', () => {
  it.each<[string, string, number[]]>([
    ['a step up', '/api/v1/namespaces/../namespaces', [400, 404]],
    ['a step up, escaped', '/api/v1/namespaces/%2e%2e/secrets', [400, 404]],
    ['a step up as a name', `${list}/%2e%2e`, [400, 404]],
    ['an escaped slash', `${list}/a%2fb`, [400, 404]],
    ['an escaped backslash', `${list}/..%5c..%5cetc`, [400, 404]],
    ['NUL', `${list}/a%00b`, [400, 404]],
    ['a broken escape', `${list}/%zz`, [400, 404]],
    ['escapes that are no UTF-8', `${list}/%ff%fe`, [400, 404]],
    ['empty segments', '/api/v1//namespaces///configmaps', [301, 307, 400, 404]],
    ['a thousand segments', `/api/v1${'/a'.repeat(1_000)}`, [404]],
    ['a long name', `${list}/${'a'.repeat(100_000)}`, [400, 404, 414]],
    ['an absurd version', `${list}?resourceVersion=${'9'.repeat(400)}`, [400]],
    ['a negative version', `${list}?resourceVersion=-5`, [400]],
    ['a version in words', `${list}?resourceVersion=latest`, [400]],
    ['a version to come', `${list}?resourceVersion=9007199254740990`, [504]],
    ['a version beyond 53 bits', `${list}?resourceVersion=18446744073709551615`, [400, 504]],
    ['a watch of a version to come', `${list}?watch=true&resourceVersion=9007199254740990&timeoutSeconds=1`, [200, 400, 504]],
    ['a forged token', `${list}?limit=1&continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":9,"start":"../../secrets/"}').toString('base64url')}`, [400]],
    ['a token of junk', `${list}?limit=1&continue=%00%ff`, [400]],
    ['a token from the future', `${list}?limit=1&continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":99999999999,"start":"a"}').toString('base64url')}`, [400, 410, 504]],
    ['a very long token', `${list}?limit=1&continue=${'A'.repeat(500_000)}`, [400]],
    ['an absurd limit', `${list}?limit=${'9'.repeat(50)}`, [400]],
    ['an absurd timeout', `${list}?watch=true&timeoutSeconds=${'9'.repeat(30)}`, [400]],
    ['a long selector', `${list}?labelSelector=${encodeURIComponent(`a in (${Array.from({ length: 100_000 }, (_, n) => `v${n}`).join(',')})`)}`, [200, 400, 414, 431]],
    ['a nested selector', `${list}?labelSelector=${'('.repeat(50_000)}`, [400]],
    ['ten thousand parameters', `${list}?${Array.from({ length: 10_000 }, (_, n) => `p${n}=1`).join('&')}`, [200, 400]],
  ])('answers %s', async (_, path, statuses) => {
    const answer = await rawExchange(client, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`, 8_000);
    expect(statuses).toContain(answer.status);
  });

  it.each<[string, string, (number | undefined)[]]>([
    ['a raw NUL in the path', `GET ${list}/a\u0000b HTTP/1.1\r\nHost: x\r\n\r\n`, [400, undefined]],
    ['two lengths', `POST ${list} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, [400, undefined]],
    ['a length and chunks', `POST ${list} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, [400, undefined]],
    ['2 MiB of headers', `GET ${list} HTTP/1.1\r\nHost: x\r\n${`X-A: ${'a'.repeat(60_000)}\r\n`.repeat(35)}\r\n`, [431, undefined]],
    ['no HTTP at all', '\u0016\u0003\u0001 hello\r\n\r\n', [400, undefined]],
    ['HTTP/2 without the protocol being agreed on', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 505, undefined]],
    ['a method that does not exist', `SMASH ${list} HTTP/1.1\r\nHost: x\r\n\r\n`, [400, 405, undefined]],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', [400, 404, 405, undefined]],
    ['an upgrade', `GET ${list} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, [200, 400, 403, 404, undefined]],
    ['Expect of something else', `POST ${list} HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: 2\r\n\r\n{}`, [400, 415, 417, undefined]],
  ])('answers or closes on %s', async (_, bytes, statuses) => {
    expect(statuses).toContain((await rawExchange(client, Buffer.from(bytes, 'latin1'))).status);
  });

  it('never answers with a server error to random nonsense', async () => {
    const bits = ['', 'v1', 'api', 'apis', '..', '%2f', '%00', '%zz', 'namespaces', 'default', 'configmaps', 'pods', 'calm', 'status', 'watch', 'A'.repeat(300), '*', '?', '~', '__proto__', 'ü'];
    const values = ['', '0', '-1', 'abc', '1.5', '99999999999999999999', 'true', '%00', 'a=b', 'a in (', '!', '%ff', '{}', 'All', 'Exact', 'NotOlderThan'];
    const names = ['watch', 'limit', 'continue', 'resourceVersion', 'resourceVersionMatch', 'labelSelector', 'fieldSelector', 'pretty', 'dryRun', 'fieldValidation', 'sendInitialEvents', 'timeoutSeconds', 'gracePeriodSeconds', 'propagationPolicy', 'includeObject'];
    const bodies = ['', '{}', '[]', 'null', '{"kind":1}', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":{}}}', '{"metadata":[]}', '[{"op":"add"}]', '{"apiVersion":"v1","kind":"DeleteOptions","preconditions":5}', 'a: b', '\u0000'];
    const types = ['application/json', 'application/yaml', 'application/merge-patch+json', 'application/json-patch+json', 'application/apply-patch+yaml', 'x', 'application/json;as=Table;g=meta.k8s.io;v=v1', '*/*', 'application/vnd.kubernetes.protobuf'];
    const pick = fc.constantFrom;
    const hostile = fc.record({
      method: pick('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
      path: fc.oneof(
        fc.array(pick(...bits), { maxLength: 8 }).map((parts) => `/${parts.join('/')}`),
        pick(list, `${list}/calm`, '/api/v1/namespaces/default', '/apis/coordination.k8s.io/v1/leases', '/api/v1/pods', '/openapi/v3', '/version', '/metrics'),
      ),
      query: fc.array(fc.tuple(pick(...names), pick(...values)), { maxLength: 4 }),
      body: pick(...bodies),
      type: pick(...types),
      accept: pick(...types),
    });
    await fc.assert(
      fc.asyncProperty(hostile, async ({ method, path, query, body, type, accept }) => {
        const parameters = [...query, ['timeoutSeconds', '1']].map(([name, value]) => `${name}=${value}`).join('&');
        const target = encodeURI(`${path}?${parameters}`).replaceAll('%25', '%');
        const headers = { 'content-type': type, accept };
        const answer = await client.send(method, target, body === '' || method === 'GET' || method === 'HEAD' ? undefined : body, { headers });
        expect([500, 502, 503]).not.toContain(answer.status);
      }),
      { numRuns: 400 },
    );
  }, 60_000);
});

describe('connections', () => {
  it('bounds what a watcher costs that never reads, and nobody else notices', async () => {
    const readers = new ApiClient(server.address, server.certificates, 4);
    const deaf = await Promise.all(Array.from({ length: 30 }, () => client.watch(`${list}?labelSelector=flood`, () => undefined)));
    for (const watch of deaf) watch.pause();
    const seen: WatchEvent[] = [];
    const attentive = await client.watch(`${list}?labelSelector=flood`, (event) => void seen.push(event));
    const before = memory();
    let highest = before;
    const payload = 'x'.repeat(100_000);
    const writes = 300;
    const during: number[] = [];
    for (let n = 0; n < writes; n++) {
      const body = object('flood', { metadata: { name: 'flood', labels: { flood: '' } }, data: { n: String(n), payload } });
      const { status } = n === 0 ? await client.send('POST', list, body) : await client.send('PUT', `${list}/flood`, body);
      expect(status).toBeLessThan(300);
      if (n % 10 === 0) {
        highest = Math.max(highest, memory());
        during.push(...(await latencies(readers, `${list}/calm`, 2)));
      }
    }
    // 30 MB of events for each of 30 watchers that read nothing would be 900 MB.
    expect(highest - before).toBeLessThan(250);
    await waitUntil('the watcher that reads to have seen everything', () => seen.length === writes);
    expect(seen.map(({ object: { data } }) => Number(data?.n))).toEqual(Array.from({ length: writes }, (_, n) => n));
    during.sort((a, b) => a - b);
    expect(during[Math.floor(during.length * 0.9)]).toBeLessThan(250);
    attentive.close();
    for (const watch of deaf) watch.close();
    readers.close();
  }, 60_000);

  it('bounds what a list costs that is never read', async () => {
    for (let n = 0; n < 40; n++) await client.send('POST', list, object(`wide-${n}`, { data: { payload: 'y'.repeat(400_000) } }));
    const before = memory();
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = await rawConnection(client);
        socket.on('error', () => undefined);
        socket.write(`GET ${list} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
        socket.pause();
        return socket;
      }),
    );
    const times = await latencies(client, `${list}/calm`, 100);
    // 16 MB for each of 20 clients would be 320 MB.
    expect(memory() - before).toBeLessThan(150);
    expect(times[90]).toBeLessThan(250);
    for (const socket of sockets) socket.destroy();
    await client.send('DELETE', `${list}?fieldSelector=metadata.name%21%3Dcalm`);
  }, 60_000);

  it('survives streams that are opened and reset as fast as the client can', async () => {
    const before = memory();
    const watching = latencies(client, `${list}/calm`, 100);
    const { authority, admin } = server.certificates;
    for (let attempt = 0; attempt < 3; attempt++) {
      const session = connectHttp2(server.address, { ca: authority, cert: admin.certificate, key: admin.key });
      session.on('error', () => undefined);
      await resetMany(session, 10_000);
      session.destroy();
    }
    const times = await watching;
    expect(times[95]).toBeLessThan(1_000);
    expect(memory() - before).toBeLessThan(150);
  }, 60_000);

  it('lets nobody disturb others by connecting and saying nothing, or nonsense', async () => {
    const port = Number(new URL(server.address).port);
    const idle = Array.from({ length: 200 }, (_, n) => {
      const socket = connectTcp(port, '127.0.0.1');
      socket.on('error', () => undefined);
      if (n % 2 === 0) socket.write(Buffer.alloc(2_000, n));
      return socket;
    });
    const times = await latencies(client, `${list}/calm`, 50);
    expect(times[45]).toBeLessThan(250);
    for (const socket of idle) socket.destroy();
  });

  it('cuts a client off that sends the head of its request too slowly', async () => {
    await waitUntil('the slow client to be cut off', () => slow.closedAfterMs, 45_000);
    expect(slow.closedAfterMs).toBeLessThan(45_000);
  }, 60_000);
});

/** Opens `count` streams and resets each at once; ends early when the server has had enough. */
async function resetMany(session: ClientHttp2Session, count: number): Promise<void> {
  for (let n = 0; n < count && !session.closed && !session.destroyed; n++) {
    const stream = session.request({ ':path': list });
    stream.on('error', () => undefined);
    stream.close(constants.NGHTTP2_CANCEL);
    if (n % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
  }
}
