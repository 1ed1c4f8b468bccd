/**
 * Records in which order the reference server prints the members of custom objects, their lists and events:
 *   node deploy/scripts/run.mjs test/replay/custom-order.js
 * custom-order.test.ts in test/integration/http sends the same to ours.
 */
import { setTimeout } from 'node:timers/promises';
import { LOOKS, namesOf, ODD, ORDER_DEFINITION, ORDER_GROUP, PATH } from './custom/order';
import { writeRecording } from './recording';
import { ask, call, hangUp, type Json } from './reference';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const NAMESPACE = `order-${process.pid}`;
const SETTLED_MS = 2_000;

async function main(): Promise<void> {
  await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: NAMESPACE } });
  await call('POST', DEFINITIONS, 'application/json', ORDER_DEFINITION);
  await setTimeout(SETTLED_MS);
  for (const object of ODD) await call('POST', PATH.replace('$NS', NAMESPACE), 'application/json', object);
  const lines: Json[] = [];
  for (const { path, accept } of LOOKS) {
    const { bytes } = await ask('GET', path.replace('$NS', NAMESPACE), { accept });
    lines.push({ path, accept, names: namesOf(bytes.toString()) });
  }
  writeRecording('custom/order', lines);
  await call('DELETE', `${DEFINITIONS}/odds.${ORDER_GROUP}`, 'application/json');
  await call('DELETE', `/api/v1/namespaces/${NAMESPACE}`, 'application/json');
  hangUp();
}

void main();
