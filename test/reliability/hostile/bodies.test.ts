/**
 * Malformed, oversized and misleading bodies against an API server process: it rejects them or closes the connection, a
 * patch cannot use much memory, and names that objects inherit in JavaScript are only data.
 */
import { useHostileTarget, CONFIGMAPS, exchangeRaw } from './hostile-client';

const target = useHostileTarget();

describe('the API server, given a hostile body,', () => {
  const yaml = { 'content-type': 'application/yaml' };
  const nested = (levels: number, open: string, close: string): string => open.repeat(levels) + close.repeat(levels);
  const aliasBomb = [
    'a: &a [x,x,x,x,x,x,x,x,x,x]',
    ...'bcdefghijk'.split('').map((name, n) => `${name}: &${name} [${Array<string>(10).fill(`*${'abcdefghij'[n]}`).join(',')}]`),
  ].join('\n');

  it.each<[string, string | Buffer, Record<string, string>, number | number[]]>([
    ['truncated JSON', '{"apiVersion":"v1","kind":"ConfigMap"', {}, 400],
    ['JSON 200,000 arrays deep', nested(200_000, '[', ']'), {}, 400],
    ['JSON 100,000 objects deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, {}, 400],
    [
      'JSON 50,000 arrays deep in an unknown field',
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"x":${nested(50_000, '[', ']')}}`,
      {},
      400,
    ],
    [
      'JSON 5,000 arrays deep in labels',
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep","labels":${nested(5_000, '[', ']')}}}`,
      {},
      400,
    ],
    ['a lone surrogate and NUL in a name', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"\\ud800\\u0000"}}', {}, 422],
    ['a body of white space', ' \n\t ', {}, 400],
    ['a UTF-16 body', Buffer.from('\ufeff{"kind":"ConfigMap"}', 'utf16le'), {}, 400],
    ['invalid UTF-8 outside a string', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), {}, 400],
    ['truncated YAML', 'a: [', yaml, 400],
    ['a YAML alias bomb', aliasBomb, yaml, 400],
    ['YAML that refers to itself', 'a: &a [*a]', yaml, 400],
    ['YAML 20,000 sequences deep', nested(20_000, '[', ']'), yaml, 400],
    ['YAML 2,400 blocks deep', Array.from({ length: 2_400 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'), yaml, [400, 413, 422]],
    ['a YAML tag of a JavaScript function', 'a: !!js/function "function(){}"', yaml, [400, 422]],
    ['more than 3 MiB of JSON', `{"a":"${'x'.repeat(3 * 1024 * 1024)}"}`, {}, 413],
    ['more than 3 MiB of YAML', `a: "${'x'.repeat(3 * 1024 * 1024)}"`, yaml, 413],
    ['an unknown media type', '<xml/>', { 'content-type': 'text/xml' }, 415],
    ['a broken protobuf envelope', 'k8s\u0000\u00ff\u00ff', { 'content-type': 'application/vnd.kubernetes.protobuf' }, 400],
  ])('rejects %s with a 4xx Status', async (_, body, headers, statuses) => {
    const { client } = target();
    const response = await client.send('POST', CONFIGMAPS, body, { headers });
    expect([statuses].flat()).toContain(response.status);
    expect(response.json()).toMatchObject({ kind: 'Status', status: 'Failure', code: response.status });
  });

  it('stores __proto__ and constructor as ordinary keys of maps', async () => {
    const { client } = target();
    const withInheritedNames =
      '{"kind":"ConfigMap","metadata":{"name":"proto","labels":{"constructor":"a"}},"data":{"__proto__":"b","toString":"c"}}';
    const created = await client.send('POST', `${CONFIGMAPS}?fieldValidation=Strict`, withInheritedNames);
    expect(created.status).toBe(201);
    expect(created.text).toContain('"data":{"__proto__":"b","toString":"c"}');
    expect(created.text).toContain('"labels":{"constructor":"a"}');
  });

  it('ignores __proto__ and constructor as members of an object', async () => {
    const { client } = target();
    const polluted =
      '{"kind":"ConfigMap","metadata":{"name":"plain"},"__proto__":{"data":{"evil":"1"}},"constructor":{"prototype":{"evil":1}}}';
    expect((await client.send('POST', `${CONFIGMAPS}?fieldValidation=Ignore`, polluted)).text).not.toContain('evil');
    for (const [type, patch] of [
      ['merge-patch', '{"__proto__":{"evil":1},"metadata":{"__proto__":{"evil":1}}}'],
      ['json-patch', '[{"op":"add","path":"/__proto__/evil","value":1}]'],
    ] as const) {
      const patched = await client.send('PATCH', `${CONFIGMAPS}/plain`, patch, { headers: { 'content-type': `application/${type}+json` } });
      expect(patched.status).toBeLessThan(500);
    }
    const read = await client.get(`${CONFIGMAPS}/plain`);
    expect(read.status).toBe(200);
    expect(read.text).not.toContain('evil');
  });

  const jsonPatch = { headers: { 'content-type': 'application/json-patch+json' } };

  it('bounds the size of the result of a JSON Patch', async () => {
    const { client, memory } = target();
    // Each copy contains those before it, so that 40 of them would have a petabyte together.
    const doubling = [{ op: 'add', path: '/metadata/annotations', value: { a: 'x'.repeat(1_000) } }];
    const copies = Array.from({ length: 40 }, (_, n) => ({
      op: 'copy',
      from: '/metadata/annotations',
      path: `/metadata/annotations/n${n}`,
    }));
    const before = memory();
    const grown = await client.send('PATCH', `${CONFIGMAPS}/calm`, [...doubling, ...copies], jsonPatch);
    expect(grown.status).toBeGreaterThanOrEqual(400);
    expect(grown.status).toBeLessThan(500);
    expect(memory() - before).toBeLessThan(200);
  });

  it('rejects a JSON Patch of more than 10,000 operations with 413', async () => {
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }));
    expect((await target().client.send('PATCH', `${CONFIGMAPS}/calm`, many, jsonPatch)).status).toBe(413);
  });

  const head = `POST ${CONFIGMAPS} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`;

  it('closes a request whose body is shorter than its Content-Length', async () => {
    const short = await exchangeRaw(target().client, `${head}Content-Length: 100\r\n\r\n{`, 500);
    expect(short.status).toBeUndefined();
  });

  it('rejects a chunked body over the limit with 413', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const endless = await exchangeRaw(target().client, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(64)}`);
    expect(endless.status).toBe(413);
  });
});
