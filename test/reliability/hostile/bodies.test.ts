/**
 * Malformed, oversized and misleading bodies against an API server process: it rejects them or closes the connection, a
 * patch cannot use much memory, and names that objects inherit in JavaScript are only data.
 */
import { useHostileTarget, CONFIGMAPS, exchangeRaw } from './hostile-client';

const target = useHostileTarget();

describe('the API server, given a hostile body,', () => {
  const nested = (levels: number, open: string, close: string): string => open.repeat(levels) + close.repeat(levels);
  /** Each list contains the one before it ten times, so that the last one has 10^11 items when it is expanded. */
  const aliasBomb = [
    'a: &a [x,x,x,x,x,x,x,x,x,x]',
    ...['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh', 'hi', 'ij', 'jk'].map(([inner, outer]) => {
      const aliases = Array<string>(10).fill(`*${inner}`);
      return `${outer}: &${outer} [${aliases.join(',')}]`;
    }),
  ].join('\n');
  const deepBlocks = Array.from({ length: 2_400 }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
  const threeMebibytes = 'x'.repeat(3 * 1024 * 1024);

  interface BodyCase {
    readonly name: string;
    readonly body: string | Buffer;
    /** JSON by default. */
    readonly contentType?: string;
    /** The status of the response, or several of which any is acceptable. */
    readonly status: number | readonly number[];
  }

  const JSON_CASES: readonly BodyCase[] = [
    { name: 'truncated JSON', body: '{"apiVersion":"v1","kind":"ConfigMap"', status: 400 },
    { name: 'JSON 200,000 arrays deep', body: nested(200_000, '[', ']'), status: 400 },
    { name: 'JSON 100,000 objects deep', body: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, status: 400 },
    {
      name: 'JSON 50,000 arrays deep in an unknown field',
      body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"x":${nested(50_000, '[', ']')}}`,
      status: 400,
    },
    {
      name: 'JSON 5,000 arrays deep in labels',
      body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep","labels":${nested(5_000, '[', ']')}}}`,
      status: 400,
    },
    {
      name: 'a lone surrogate and NUL in a name',
      body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"\\ud800\\u0000"}}',
      status: 422,
    },
    { name: 'a body of white space', body: ' \n\t ', status: 400 },
    { name: 'a UTF-16 body', body: Buffer.from('\ufeff{"kind":"ConfigMap"}', 'utf16le'), status: 400 },
    { name: 'invalid UTF-8 outside a string', body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), status: 400 },
    { name: 'more than 3 MiB of JSON', body: `{"a":"${threeMebibytes}"}`, status: 413 },
  ];
  const yaml = (name: string, body: string, status: number | readonly number[]): BodyCase => ({
    name,
    body,
    contentType: 'application/yaml',
    status,
  });
  const YAML_CASES: readonly BodyCase[] = [
    yaml('truncated YAML', 'a: [', 400),
    yaml('a YAML alias bomb', aliasBomb, 400),
    yaml('YAML that refers to itself', 'a: &a [*a]', 400),
    yaml('YAML 20,000 sequences deep', nested(20_000, '[', ']'), 400),
    yaml('YAML 2,400 blocks deep', deepBlocks, [400, 413, 422]),
    yaml('a YAML tag of a JavaScript function', 'a: !!js/function "function(){}"', [400, 422]),
    yaml('more than 3 MiB of YAML', `a: "${threeMebibytes}"`, 413),
  ];
  const OTHER_CASES: readonly BodyCase[] = [
    { name: 'an unknown media type', body: '<xml/>', contentType: 'text/xml', status: 415 },
    {
      name: 'a broken protobuf envelope',
      body: 'k8s\u0000\u00ff\u00ff',
      contentType: 'application/vnd.kubernetes.protobuf',
      status: 400,
    },
  ];

  it.each([...JSON_CASES, ...YAML_CASES, ...OTHER_CASES])(
    'rejects $name with a 4xx Status',
    async ({ body, contentType = 'application/json', status }) => {
      const { client } = target();
      const response = await client.send('POST', CONFIGMAPS, body, { headers: { 'content-type': contentType } });
      expect([status].flat()).toContain(response.status);
      expect(response.json()).toMatchObject({ kind: 'Status', status: 'Failure', code: response.status });
    },
  );

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
    const { client, memoryMb } = target();
    // Each copy contains those before it, so that 40 of them would have a petabyte together.
    const addition = { op: 'add', path: '/metadata/annotations', value: { a: 'x'.repeat(1_000) } };
    const copies = Array.from({ length: 40 }, (_, n) => ({
      op: 'copy',
      from: '/metadata/annotations',
      path: `/metadata/annotations/n${n}`,
    }));
    const beforeMb = memoryMb();
    const response = await client.send('PATCH', `${CONFIGMAPS}/calm`, [addition, ...copies], jsonPatch);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect(memoryMb() - beforeMb).toBeLessThan(200);
  });

  it('rejects a JSON Patch of more than 10,000 operations with 413', async () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }));
    expect((await target().client.send('PATCH', `${CONFIGMAPS}/calm`, operations, jsonPatch)).status).toBe(413);
  });

  /** The beginning of a request, which the tests end with headers of their own. */
  const head = `POST ${CONFIGMAPS} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`;

  it('closes a request whose body is shorter than its Content-Length', async () => {
    const response = await exchangeRaw(target().client, `${head}Content-Length: 100\r\n\r\n{`, 500);
    expect(response.status).toBeUndefined();
  });

  it('rejects a chunked body over the limit with 413', async () => {
    // Chunk sizes are hexadecimal: 64 chunks of 64 KiB are 4 MiB.
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const response = await exchangeRaw(target().client, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(64)}`);
    expect(response.status).toBe(413);
  });
});
