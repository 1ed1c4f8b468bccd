/**
 * What it costs to create objects of a custom kind whose schema has 30 members and three rules, beside the same objects of a kind without schema, and what of that is the
 * schema and the rules alone. Judges nothing.
 */
import { readSchema } from '../../shared/api/structural/read-schema';
import { validateSchema } from '../../shared/api/structural/validate';
import { compileRules } from '../../shared/expression/custom/compile-rules';
import type { JsonObject } from '../../shared/values/json';
import type { BenchClient } from './client';
import { warmLoop, type Cost } from './measure';

const GROUP = 'bench.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WORKERS = 16;

const spec: JsonObject = {
  type: 'object',
  required: ['replicas', 'image'],
  properties: {
    replicas: { type: 'integer', minimum: 0, maximum: 100 },
    minimum: { type: 'integer' },
    maximum: { type: 'integer' },
    image: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[a-z0-9./:-]+$' },
    policy: { type: 'string', enum: ['Always', 'Never'], default: 'Always' },
    ports: {
      type: 'array',
      maxItems: 20,
      items: {
        type: 'object',
        properties: { name: { type: 'string', maxLength: 20 }, port: { type: 'integer', minimum: 1, maximum: 65_535 } },
      },
    },
    labels: { type: 'object', maxProperties: 20, additionalProperties: { type: 'string', maxLength: 63 } },
    ...Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`text${at}`, { type: 'string', maxLength: 100 }])),
    ...Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`number${at}`, { type: 'integer', minimum: 0 }])),
    ...Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`flag${at}`, { type: 'boolean' }])),
  },
  'x-kubernetes-validations': [
    { rule: 'self.minimum <= self.replicas && self.replicas <= self.maximum', message: 'replicas are between minimum and maximum' },
    { rule: 'self.ports.all(p, self.ports.exists_one(q, q.port == p.port))', message: 'ports are unique' },
    { rule: "!has(self.text0) || self.text0.startsWith('a')" },
  ],
};

const objectOf = (name: string): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Bench',
  metadata: { name, namespace: 'bench' },
  spec: {
    replicas: 3,
    minimum: 1,
    maximum: 5,
    image: 'registry.example.com/team/app:1.2.3',
    ports: [80, 443, 8080].map((port) => ({ name: `p${port}`, port })),
    labels: { app: 'a', tier: 'b' },
    ...Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`text${at}`, 'abcdefghij'])),
    ...Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`number${at}`, at])),
    ...Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`flag${at}`, true])),
  },
});

export interface CustomCosts {
  /** With schema and rules, and of a kind that takes anything. */
  readonly ruled: Cost;
  readonly free: Cost;
  /** Of schema and rules alone, in this process. */
  readonly validationMicros: number;
}

/** Of a server whose process it is. */
export async function customCosts(client: BenchClient, pid: number, seconds: number): Promise<CustomCosts> {
  await client.send('POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: 'bench' } }));
  const costOf = async (plural: string, kind: string, schema: JsonObject): Promise<Cost> => {
    await define(client, plural, kind, schema);
    const target = `/apis/${GROUP}/v1/namespaces/bench/${plural}`;
    return warmLoop(pid, { workers: WORKERS, seconds }, async (index) => {
      await client.send('POST', target, JSON.stringify({ ...objectOf(`o-${index}`), kind }));
    });
  };
  const free = await costOf('frees', 'Free', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
  const ruled = await costOf('benches', 'Bench', { type: 'object', properties: { spec } });
  return { ruled, free, validationMicros: validationMicros(seconds) };
}

async function define(client: BenchClient, plural: string, kind: string, openAPIV3Schema: JsonObject): Promise<void> {
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
  const apiVersion = 'apiextensions.k8s.io/v1';
  const body = {
    apiVersion,
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: { group: GROUP, scope: 'Namespaced', names: { plural, kind }, versions },
  };
  await client.send('POST', DEFINITIONS, JSON.stringify(body));
  while (!(await client.text('GET', `${DEFINITIONS}/${plural}.${GROUP}`)).includes('initial names have been accepted'));
}

function validationMicros(seconds: number): number {
  const schema = readSchema({ type: 'object', properties: { spec } });
  const rules = compileRules(schema);
  const object = objectOf('o');
  let count = 0;
  const end = performance.now() + seconds * 500;
  const start = process.cpuUsage();
  for (; performance.now() < end; count += 1) {
    validateSchema(schema, object);
    rules.validate(object, undefined);
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}
