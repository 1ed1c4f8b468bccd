/**
 * Records what the reference server (reference.ts) answers to a scenario of custom-suites.ts:
 *   node deploy/scripts/run.mjs test/replay/custom-requests.js <recording>
 * test/integration/http/custom.test.ts replays the recordings.
 */
import { setTimeout } from 'node:timers/promises';
import { DEFINITIONS, GROUP } from './custom-steps';
import { CUSTOM_SUITES, type CustomSuite } from './custom-suites';
import { AS_THEY_ARE, recordStep } from './record-step';
import { writeRecording } from './recording';
import { ask, call, hangUp, isBody, type Body, type Json } from './reference';
import type { RequestStep } from './update-steps';

const NAMESPACE = `custom-${process.pid}`;
/** By then a changed definition is what the reference serves by, and what it says of it has been written. */
const SETTLED_MS = 3_000;

async function main(): Promise<void> {
  const recording = process.argv[2] ?? '';
  const suite = new Map<string, CustomSuite>(Object.entries(CUSTOM_SUITES)).get(recording);
  if (suite === undefined) throw new Error(`no scenario ${recording}; there are ${Object.keys(CUSTOM_SUITES).join(', ')}`);
  await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: NAMESPACE } });
  const definitions = suite.definitions.map((definition): Body => JSON.parse(JSON.stringify(definition)));
  for (const definition of definitions) await call('POST', DEFINITIONS, 'application/json', definition);
  await setTimeout(SETTLED_MS);
  const seen = { version: '', uid: '' };
  const lines: Json[] = [];
  for (const step of Object.values(suite.steps).flat()) {
    const line = await recordStep(step, NAMESPACE, seen, AS_THEY_ARE);
    if (changesDefinition(step)) await setTimeout(SETTLED_MS);
    // The manager of the reference server's own writes is the name of its program file.
    lines.push(JSON.parse(JSON.stringify(line).replaceAll('"manager":"upstream"', '"manager":"kube-apiserver"')));
  }
  writeRecording(`custom/${recording}`, lines);
  await remove(definitions);
  await call('DELETE', `/api/v1/namespaces/${NAMESPACE}`, 'application/json');
  hangUp();
}

function changesDefinition({ method, path }: RequestStep): boolean {
  return method !== 'GET' && path.startsWith(DEFINITIONS) && !path.includes('dryRun');
}

/** Finalizers that the steps have left would keep the definitions. */
async function remove(definitions: readonly Body[]): Promise<void> {
  const unheld = Buffer.from('{"metadata":{"finalizers":null}}');
  const headers = { 'content-type': 'application/merge-patch+json' };
  await ask('PATCH', `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/widgets/s`, headers, unheld);
  for (const { metadata } of definitions) {
    const name = isBody(metadata) ? metadata['name'] : undefined;
    if (typeof name === 'string') await call('DELETE', `${DEFINITIONS}/${name}`, 'application/json');
  }
}

void main();
