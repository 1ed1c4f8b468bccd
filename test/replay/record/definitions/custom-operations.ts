/**
 * Records the operations and schemas that OpenAPI documents have for custom kinds with unusual spellings of groups and
 * kinds.
 */
import { operationsIn, withShortDescriptions } from '../../formats/openapi-operations';
import { systemClock } from '../../../../shared/runtime/clock';
import { readRecording } from '../../recording';
import { isBody, membersOf, objectNameOf, type Body, type Json } from '../../json-response';
import { body, listOf, shape, text } from '../../shape';
import { withRecordedOrder } from '../recorded-order';
import { DEFINITIONS } from './custom-definition';
import type { ReferenceServer } from '../reference-server';

/** How long the server needs to publish the documents of a definition. */
const PUBLISHED_MS = 6_000;
/** Schemas of upstream's own types. */
const BUILT_IN = /^io\.k8s\.(api|apimachinery)\./;

const isHead = shape({ format: text, definitions: listOf(body) });
const isCase = shape({ name: text }, { v2: body, v3: body, schemas: body });

/** Each line is a document, named `apis/<group>/<version>`. The definitions of the head are stored meanwhile. */
export async function recordCustomOperations(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isHead, isCase);
  try {
    for (const definition of head.definitions) await server.create(DEFINITIONS, definition);
    await systemClock.sleep(PUBLISHED_MS);
    const v2 = await documentAt(server, '/openapi/v2');
    const lines: unknown[] = [head];
    for (const line of cases) {
      const v3 = await documentAt(server, `/openapi/v3/${line.name}`);
      const schemas = membersOf(membersOf(v3['components'])['schemas']);
      const own = Object.entries(schemas).filter(([type]) => !BUILT_IN.test(type));
      const shortened = Object.fromEntries(own.map(([type, schema]) => [type, withShortDescriptions(schema)]));
      const documents = { v2: operationsIn(v2, line.name), v3: operationsIn(v3, line.name), schemas: shortened };
      lines.push(withRecordedOrder({ ...line, ...documents }, line));
    }
    return lines;
  } finally {
    for (const definition of head.definitions) await server.sendJson('DELETE', `${DEFINITIONS}/${objectNameOf(definition)}`);
  }
}

async function documentAt(server: ReferenceServer, path: string): Promise<Body> {
  const { bytes } = await server.send({ method: 'GET', path, headers: { accept: 'application/json' } });
  const document: Json = JSON.parse(bytes.toString());
  if (!isBody(document)) throw new Error(`${path} is not an object`);
  return document;
}
