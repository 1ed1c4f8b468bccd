/**
 * Records what the reference server (reference.ts) answers to custom-steps.ts:
 *   node deploy/scripts/run.mjs test/recordings/custom-requests.js
 * test/integration/http/custom.test.ts replays the recording.
 */
import { CUSTOM_DEFINITIONS, CUSTOM_STEPS, DEFINITIONS, GROUP } from './custom-steps';
import { AS_THEY_ARE, recordStep } from './record-step';
import { writeRecording } from './recording';
import { call, hangUp, isBody, type Json } from './reference';

const NAMESPACE = `custom-${process.pid}`;

async function main(): Promise<void> {
  await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: NAMESPACE } });
  for (const definition of CUSTOM_DEFINITIONS) await call('POST', DEFINITIONS, 'application/json', JSON.parse(JSON.stringify(definition)));
  await until(async () => (await list()).every(isEstablished));
  const seen = { version: '', uid: '' };
  const lines: Json[] = [];
  for (const step of Object.values(CUSTOM_STEPS).flat()) {
    const line = await recordStep(step, NAMESPACE, seen, AS_THEY_ARE);
    // What the server itself writes bears the name of its program.
    lines.push(JSON.parse(JSON.stringify(line).replaceAll('"manager":"upstream"', '"manager":"apiserver"')));
  }
  writeRecording('custom/requests', lines);
  await call('PATCH', `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/widgets/s`, 'application/merge-patch+json', {
    metadata: { finalizers: null },
  });
  for (const left of ['gadgets', 'ranges']) await call('DELETE', `${DEFINITIONS}/${left}.${GROUP}`, 'application/json');
  await call('DELETE', `/api/v1/namespaces/${NAMESPACE}`, 'application/json');
  hangUp();
}

async function list(): Promise<readonly Json[]> {
  const { items } = (await call('GET', DEFINITIONS, 'application/json')).body;
  return (Array.isArray(items) ? items : []).filter((item) => isBody(item) && isBody(item['spec']) && item['spec']['group'] === GROUP);
}

function isEstablished(definition: Json): boolean {
  return JSON.stringify(definition).includes('"InitialNamesAccepted"');
}

/** A recorder may ask again and again: it is no test. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds()));
}

void main();
