/** How long another client waits while one sends what is made to hold the server up, over either protocol, with and without credentials. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { probe } from './cluster';
import type { HostileRequest } from './hostile-sender';

interface Input {
  readonly name: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const YAML = { 'content-type': 'application/yaml' };
const posted = (name: string, body: string, target = CONFIG_MAPS, headers: Readonly<Record<string, string>> = {}): Input => ({
  name,
  method: 'POST',
  path: target,
  headers: { 'content-type': 'application/json', ...headers },
  body,
});
const pod = (container: string, count = 1): string =>
  `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"containers":[${Array(count).fill(container).join(',')}]}}`;
const nested = (levels: number, inner: string): string => `${'{"a":'.repeat(levels)}${inner}${'}'.repeat(levels)}`;
const managers = (count: number): string =>
  Array.from(
    { length: count },
    (_, n) => `{"manager":"m${n}","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{}}`,
  ).join();
const aliases = [
  'a: &a [x,x,x,x,x,x,x,x,x,x]',
  ...[...'bcdef'].map((name, n) => `${name}: &${name} [${Array(10).fill(`*${'abcde'[n]}`).join()}]`),
];

const INPUTS: readonly Input[] = [
  { name: 'nothing', path: '/healthz' },
  { name: 'a timeout of 40,000 digits', path: `/healthz?timeout=${'1'.repeat(40_000)}x` },
  { name: 'a head of 60 KB', path: '/healthz', headers: { 'x-long': 'x'.repeat(60_000) } },
  posted('a quantity of 40,000 digits', pod(`{"name":"c","image":"i","resources":{"limits":{"cpu":"${'1'.repeat(40_000)}x"}}}`), PODS),
  posted('20,000 empty containers', pod('{}', 20_000), PODS),
  posted('100,000 empty containers', pod('{}', 100_000), PODS),
  posted('repeated members at depth 5,000', `{"metadata":{"name":"a"},"data":${nested(5000, '{"b":1,"b":2}')}}`),
  posted('50,000 repeated members', `{"metadata":{"name":"a"},"data":{${Array(50_000).fill('"b":"1"').join()}}}`),
  posted('16,000 managers', `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","managedFields":[${managers(16_000)}]}}`),
  posted('2.9 MB of one text', `{"metadata":{"name":"big"},"data":{"a":"${'x'.repeat(2_900_000)}"}}`),
  posted('100,000 labels', `{"metadata":{"name":"a","labels":{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":"v"`).join()}}}}`),
  posted(
    'YAML of 60 KB',
    `metadata: {name: a}\ndata:\n${Array.from({ length: 3000 }, (_, n) => `  k${n}: "value"`).join('\n')}\n`,
    CONFIG_MAPS,
    YAML,
  ),
  posted(
    'YAML of 2 MB',
    `metadata: {name: a}\ndata:\n${Array.from({ length: 90_000 }, (_, n) => `  k${n}: "value"`).join('\n')}\n`,
    CONFIG_MAPS,
    YAML,
  ),
  posted(
    'managed fields of 100,000 fields',
    `{"metadata":{"name":"a","managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{${Array.from({ length: 100_000 }, (_, n) => `"f:k${n}":{}`).join()}}}]}}`,
  ),
  posted(
    '20,000 owners, each the controller',
    `{"metadata":{"name":"a","ownerReferences":[${Array.from({ length: 20_000 }, (_, n) => `{"apiVersion":"v1","kind":"Pod","name":"n${n}","uid":"a","controller":true}`).join()}]}}`,
  ),
  posted('2.9 MB of brackets', '['.repeat(2_900_000)),
  posted('YAML of brackets that close too far left', Array.from({ length: 6000 }, (_, n) => `k${n}: [\n]`).join('\n'), CONFIG_MAPS, YAML),
  posted('YAML aliases', aliases.join('\n'), CONFIG_MAPS, YAML),
  posted(
    'a review of 60 KB',
    `{"kind":"SubjectAccessReview","spec":{"user":"${'x'.repeat(60_000)}"}}`,
    '/apis/authorization.platform.io/v1/subjectaccessreviews',
  ),
];

export interface HostileWait {
  readonly name: string;
  /** The longest that another client waited, in milliseconds, by protocol and credentials. */
  readonly longest: Readonly<Record<'http1' | 'http2' | 'http1 anonymous' | 'http2 anonymous', number>>;
  /** What the sender was answered, in the same order. */
  readonly statuses: readonly number[];
}

const ROUNDS = 3;

export async function* hostileWaits(origin: string, token: string): AsyncGenerator<HostileWait> {
  const sender = fork(path.join(__dirname, 'hostile-sender.js'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const measure = async (message: HostileRequest): Promise<{ readonly longest: number; readonly status: number }> => {
    const waits = probe({ origin, token }, 1);
    let status = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      sender.send(message);
      [status] = (await once(sender, 'message')) as [number];
    }
    return { longest: (await waits.stop()).at(-1) ?? 0, status };
  };
  for (const { name, method = 'GET', path: target = CONFIG_MAPS, headers = {}, body = '' } of INPUTS) {
    const known = { ...headers, authorization: `Bearer ${token}` };
    const base = { origin, method, path: target, body };
    const results = [
      await measure({ ...base, http2: false, headers: known }),
      await measure({ ...base, http2: true, headers: known }),
      await measure({ ...base, http2: false, headers }),
      await measure({ ...base, http2: true, headers }),
    ] as const;
    const [a, b, c, d] = results.map(({ longest }) => longest);
    const longest = { http1: a ?? 0, http2: b ?? 0, 'http1 anonymous': c ?? 0, 'http2 anonymous': d ?? 0 };
    yield { name, longest, statuses: results.map(({ status }) => status) };
  }
  sender.disconnect();
}
