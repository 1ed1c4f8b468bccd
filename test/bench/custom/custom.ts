/**
 * What the creation costs of objects of a custom kind with a schema of 30 members and three rules, beside the same
 * objects of a kind without schema and beside ConfigMaps, and the share of schema and rules alone. 16 concurrent
 * clients on the embedded store, after some thousand requests, because the server's code must be compiled first.
 */
import { readSchema } from '../../../shared/api/structural/read-schema';
import { validateSchema } from '../../../shared/api/structural/validation/validate';
import { compileRules } from '../../../shared/expression/custom/evaluate-rules';
import type { JsonObject } from '../../../shared/values/json';
import { customResourceDefinition } from '../../support/objects/custom-resource-definition';
import { configMap, type BenchClient } from '../harness/client';
import { measureLoop, type Cost } from '../harness/measure';
import RULED_KIND from './ruled-kind.json';
import { loopSeconds } from '../../support/process-usage';
import { printRow, withServer, type BenchServer } from '../harness/bench-server';
import { seconds } from '../harness/settings';

const GROUP = 'bench.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Requests in flight. */
const WORKERS = 16;
/** Requests of each kind before the measurement. */
const WARM_UP = 4_000;

/** The schema of a spec with 30 members and three rules, and a spec that it accepts. */
const { schema: SPEC_SCHEMA, spec: SPEC } = RULED_KIND;

const objectOf = (name: string): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Bench',
  metadata: { name, namespace: 'bench' },
  spec: SPEC,
});

/** Creates objects of each kind for `--seconds`, after a warm-up of all of them. */
export async function custom(): Promise<void> {
  await withServer(printCosts);
}

/** Each cost stands beside that of the row before, so that the ratios show what schema and rules add. */
async function printCosts({ client, pid }: BenchServer): Promise<void> {
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: 'bench' } });
  await createDefinition(client, 'frees', 'Free', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
  await createDefinition(client, 'benches', 'Bench', { type: 'object', properties: { spec: SPEC_SCHEMA } });
  let created = 0;
  /** Returns a function that creates one more object. */
  const creatorOf = (path: string, bodyOf: (name: string) => string | object) => async (): Promise<void> => {
    created += 1;
    await client.send('POST', path, bodyOf(`o-${created}`));
  };
  const creatorOfKind = (plural: string, kind: string): (() => Promise<void>) =>
    creatorOf(`/apis/${GROUP}/v1/namespaces/bench/${plural}`, (name) => ({ ...objectOf(name), kind }));
  const createFree = creatorOfKind('frees', 'Free');
  const createRuled = creatorOfKind('benches', 'Bench');
  const createMap = creatorOf('/api/v1/namespaces/bench/configmaps', (name) => configMap('bench', name, ''));
  for (const create of [createFree, createRuled, createMap]) await measureLoop(pid, { workers: WORKERS, count: WARM_UP }, create);
  const costOf = (create: () => Promise<void>): Promise<Cost> => measureLoop(pid, { workers: WORKERS, seconds }, create);
  const configMaps = await costOf(createMap);
  const schemaless = await costOf(createFree);
  const loopBefore = loopSeconds(pid);
  const withRules = await costOf(createRuled);
  const loopMicros = ((loopSeconds(pid) - loopBefore) * 1e6) / withRules.requests;
  const validation = validationMicros();
  console.log('\nby 16 clients at a time, on the embedded store');
  printRow('create, a ConfigMap', configMaps);
  printRow('create, any object', schemaless, { name: 'ConfigMap', ...configMaps });
  printRow('create, 30 members and three rules', withRules, { name: 'any object', ...schemaless });
  printRow('  of it on the event loop', { cpuMicros: loopMicros });
  printRow('schema and rules alone', { cpuMicros: validation });
  console.log(`  ${(1e6 / withRules.cpuMicros).toFixed(0)} creations a second of one core, ${(1e6 / validation).toFixed(0)} validations`);
}

/** Creates the kind, and resolves when its names have been accepted. */
async function createDefinition(client: BenchClient, plural: string, kind: string, schema: JsonObject): Promise<void> {
  await client.send('POST', DEFINITIONS, customResourceDefinition({ plural, kind, group: GROUP, schema }));
  while (!(await client.text('GET', `${DEFINITIONS}/${plural}.${GROUP}`)).includes('initial names have been accepted'));
}

/** Microseconds of schema and rules for one object, in this process. */
function validationMicros(): number {
  const schema = readSchema({ type: 'object', properties: { spec: SPEC_SCHEMA } });
  const rules = compileRules(schema);
  const object = objectOf('o');
  let count = 0;
  // Half of the duration of a measurement is enough without requests.
  const end = performance.now() + (seconds * 1000) / 2;
  const start = process.cpuUsage();
  for (; performance.now() < end; count += 1) {
    validateSchema(schema, object);
    rules.validate(object, undefined);
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}
