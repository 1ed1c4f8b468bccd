/**
 * Records what the reference server's OpenAPI documents say can be done with custom kinds, and how their schemas are described:
 *   node deploy/scripts/run.mjs test/replay/openapi-operations.js
 * custom-documents.test.ts in apiserver/openapi compares ours with it.
 */
import { setTimeout } from 'node:timers/promises';
import { beginnings, OPERATION_DEFINITIONS, OPERATION_DOCUMENTS, operationsIn } from './custom/operations';
import { writeRecording } from './recording';
import { ask, call, hangUp, isBody, type Body, type Json } from './reference';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Documents follow definitions after a while. */
const SETTLED_MS = 6_000;

async function document(path: string): Promise<Body> {
  const { bytes } = await ask('GET', path, { accept: 'application/json' });
  const value: Json = JSON.parse(bytes.toString());
  if (!isBody(value)) throw new Error(`${path} is no object`);
  return value;
}

async function main(): Promise<void> {
  for (const definition of OPERATION_DEFINITIONS) {
    const { code, body } = await call('POST', DEFINITIONS, 'application/json', definition);
    if (code !== 201) throw new Error(JSON.stringify(body));
  }
  await setTimeout(SETTLED_MS);
  const v2 = await document('/openapi/v2');
  const lines: Json[] = [];
  for (const name of OPERATION_DOCUMENTS) {
    const v3 = await document(`/openapi/v3/${name}`);
    const schemas = isBody(v3['components']) ? v3['components']['schemas'] : undefined;
    const own = Object.entries(isBody(schemas) ? schemas : {}).filter(([type]) => !/^io\.k8s\.(api|apimachinery)\./.test(type));
    lines.push({
      name,
      v2: operationsIn(v2, name),
      v3: operationsIn(v3, name),
      schemas: Object.fromEntries(own.map(([type, schema]) => [type, beginnings(schema)])),
    });
  }
  writeRecording('openapi/custom-operations', lines);
  for (const { metadata } of OPERATION_DEFINITIONS) {
    const name = isBody(metadata) ? metadata['name'] : undefined;
    if (typeof name === 'string') await call('DELETE', `${DEFINITIONS}/${name}`, 'application/json');
  }
  hangUp();
}

void main();
