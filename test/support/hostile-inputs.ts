/** Requests that are made to take long, a row each: what one client sends while another one waits. Sends nothing. */

export interface HostileInput {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly type?: string;
  readonly body?: () => string | Buffer;
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const YAML = 'application/yaml';

const times = (count: number, text: (index: number) => string, between = ','): string =>
  Array.from({ length: count }, (_, n) => text(n)).join(between);
const map = (name: string, metadata: string, more = ''): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"${metadata}}${more}}`;
const pod = (containers: string): string =>
  `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"hostile"},"spec":{"containers":[${containers}]}}`;
const manager = (n: number): string =>
  `{"manager":"m${n}","operation":"Update","apiVersion":"v1","time":"2024-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:k${n}":{}}}}`;

export const HOSTILE_INPUTS: readonly HostileInput[] = [
  { name: 'a timeout of 40,000 digits', method: 'GET', path: `/healthz?timeout=${'1'.repeat(40_000)}x` },
  { name: 'five thousand parameters', method: 'GET', path: `${MAPS}?${times(5_000, (n) => `p${n}=1`, '&')}` },
  { name: 'a nested selector', method: 'GET', path: `${MAPS}?labelSelector=${'('.repeat(50_000)}` },
  { name: 'a token of 60,000 characters', method: 'GET', path: `${MAPS}?limit=1&continue=${'A'.repeat(60_000)}` },
  {
    name: 'a quantity of 40,000 digits',
    method: 'POST',
    path: PODS,
    body: () => pod(`{"name":"a","image":"a","resources":{"limits":{"cpu":"${'1'.repeat(40_000)}x"}}}`),
  },
  {
    name: 'members repeated 5,000 levels down',
    method: 'POST',
    path: MAPS,
    body: () => `${'{"a":'.repeat(5_000)}{${'"b":1,"b":2,'.repeat(9_000)}"c":1}${'}'.repeat(5_000)}`,
  },
  {
    name: 'members repeated on 5,000 levels',
    method: 'POST',
    path: MAPS,
    body: () => `${'{"b":1,"b":2,"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  },
  {
    name: 'one member repeated 200,000 times',
    method: 'POST',
    path: MAPS,
    body: () => map('r', '', `,"data":{${times(200_000, () => '"a":"b"')}}`),
  },
  {
    name: '16,000 managed fields entries',
    method: 'POST',
    path: MAPS,
    body: () => map('m', `,"managedFields":[${times(16_000, manager)}]`),
  },
  {
    name: 'managed fields of 100,000 fields',
    method: 'POST',
    path: MAPS,
    body: () =>
      map(
        'f',
        `,"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","time":"2024-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{${times(100_000, (n) => `"f:k${n}":{}`)}}}}]`,
      ),
  },
  { name: '20,000 empty containers', method: 'POST', path: PODS, body: () => pod(times(20_000, () => '{}')) },
  { name: '100,000 empty containers', method: 'POST', path: PODS, body: () => pod(times(100_000, () => '{}')) },
  {
    name: '20,000 owners',
    method: 'POST',
    path: MAPS,
    body: () => map('o', `,"ownerReferences":[${times(20_000, (n) => `{"apiVersion":"v1","kind":"Pod","name":"n${n}","uid":"a"}`)}]`),
  },
  { name: '60,000 labels', method: 'POST', path: MAPS, body: () => map('l', `,"labels":{${times(60_000, (n) => `"-${n}":"-"`)}}`) },
  {
    name: 'a bad byte after 2.9 MB',
    method: 'POST',
    path: MAPS,
    body: () => Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(2_900_000, 'x'), Buffer.from([0xff, 0x22, 0x7d])]),
  },
  { name: '2.9 MB of brackets', method: 'POST', path: MAPS, body: () => '['.repeat(2_900_000) },
  {
    name: '2.9 MB of data',
    method: 'POST',
    path: `${MAPS}?dryRun=All`,
    body: () => map('d', '', `,"data":{"a":"${'x'.repeat(900_000)}"},"unknown":"${'x'.repeat(1_900_000)}"`),
  },
  { name: 'YAML of 60 KB', method: 'POST', path: MAPS, type: YAML, body: () => `a:\n${times(6_000, (n) => `- b${n}: 1`, '\n')}` },
  { name: 'YAML of 60 KB in brackets', method: 'POST', path: MAPS, type: YAML, body: () => `a: [${times(15_000, () => '[a]')}` },
  { name: 'YAML that opens 20,000 brackets', method: 'POST', path: MAPS, type: YAML, body: () => '['.repeat(20_000) },
  { name: 'YAML of 60 KB that ends among quotes', method: 'POST', path: MAPS, type: YAML, body: () => `a: [x${'\\"'.repeat(30_000)}` },
  { name: 'YAML of repeated keys', method: 'POST', path: MAPS, type: YAML, body: () => times(15_000, () => 'a: 1', '\n') },
  {
    name: 'YAML of closing brackets out of place',
    method: 'POST',
    path: MAPS,
    type: YAML,
    body: () => times(6_000, (n) => `k${n}: [\n]`, '\n'),
  },
  { name: 'YAML of 2 MB', method: 'POST', path: MAPS, type: YAML, body: () => times(200_000, (n) => `a${n}: 1`, '\n') },
  {
    name: 'YAML aliases of long texts',
    method: 'POST',
    path: MAPS,
    type: YAML,
    body: () => `a: &a ${'x'.repeat(20_000)}\nb: [${'*a, '.repeat(5_000)}]`,
  },
  {
    name: 'a JSON Patch at the front of a long list',
    method: 'PATCH',
    path: `${MAPS}/calm`,
    type: 'application/json-patch+json',
    body: () =>
      `[{"op":"add","path":"/metadata/finalizers","value":[${times(50_000, () => '"a/b"')}]},${times(9_000, () => '{"op":"add","path":"/metadata/finalizers/0","value":"a/c"}')}]`,
  },
  {
    name: 'an apply of 16,000 keys',
    method: 'PATCH',
    path: `${MAPS}/applied?fieldManager=hostile&dryRun=All`,
    type: 'application/apply-patch+yaml',
    body: () => map('applied', '', `,"data":{${times(16_000, (n) => `"k${n}":"v"`)}}`),
  },
];
