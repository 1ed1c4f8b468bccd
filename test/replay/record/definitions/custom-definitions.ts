/**
 * Records the responses to writes of CustomResourceDefinitions (format `custom-definitions`). Everything is a dry run
 * except the old object of an update, which is stored until its names are accepted or rejected, and deleted afterwards.
 */
import { waitUntil } from '../../../support/programs';
import { definitionOutcome, isDefinitionCase, type DefinitionOutcome, type DefinitionCase } from '../../formats/recorded-definitions';
import { expandBody } from '../../formats/request-body';
import { readRecording } from '../../recording';
import {
  causesOf,
  membersOf,
  metadataOf,
  objectNameOf,
  objectsIn,
  resourceVersionOf,
  textOf,
  type Body,
  type Json,
  type JsonResponse,
} from '../../json-response';
import { shape, text } from '../../shape';
import { withRecordedOrder } from '../recorded-order';
import { DEFINITIONS } from './custom-definition';
import type { ReferenceServer } from '../reference-server';

/** The status of an update with an outdated resource version. */
const CONFLICT = 409;

/** A definition with the kind and list kind of the cases' definitions, so that their names are rejected. */
const RIVAL: Body = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'rivals.crd.example.com' },
  spec: {
    group: 'crd.example.com',
    names: { plural: 'rivals', singular: 'rival', kind: 'Thing' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

export async function recordCustomDefinitions(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, shape({ format: text }), isDefinitionCase);
  const lines: unknown[] = [head];
  for (const line of cases) {
    const reply = line.old === undefined ? await create(server, line.body) : await update(server, line.old, line);
    const { causes } = withRecordedOrder({ causes: outcomeOf(reply) }, { causes: line.answer });
    lines.push({ ...line, answer: causes });
  }
  return lines;
}

function create(server: ReferenceServer, body: Body): Promise<JsonResponse> {
  return server.sendJson('POST', `${DEFINITIONS}?dryRun=All`, expandBody(body));
}

/** Stores the old object and returns the response to a dry run of its replacement. */
async function update(server: ReferenceServer, old: Body, { body, namesAccepted, subresource }: DefinitionCase): Promise<JsonResponse> {
  const hasConflict = namesAccepted === false;
  if (hasConflict) await store(server, RIVAL, 'True');
  const name = await store(server, old, hasConflict ? 'False' : 'True');
  try {
    return await replace(server, name, subresource === undefined ? '' : `/${subresource}`, expandBody(body));
  } finally {
    await remove(server, name);
    if (hasConflict) await remove(server, objectNameOf(RIVAL));
  }
}

/** Retries conflicts, because the server's own controllers also update the object. */
async function replace(server: ReferenceServer, name: string, subresource: string, sent: Json): Promise<JsonResponse> {
  for (;;) {
    const { body: current } = await server.sendJson('GET', `${DEFINITIONS}/${name}${subresource}`);
    const metadata = { ...metadataOf(sent), name, resourceVersion: resourceVersionOf(current) };
    const object = { ...membersOf(sent), metadata };
    const reply = await server.sendJson('PUT', `${DEFINITIONS}/${name}${subresource}?dryRun=All`, object);
    if (reply.code !== CONFLICT) return reply;
  }
}

/** Creates a definition and waits for its condition `Established`. Returns its name. */
async function store(server: ReferenceServer, definition: Body, established: 'True' | 'False'): Promise<string> {
  const name = objectNameOf(await server.create(DEFINITIONS, definition));
  await waitUntil(`Established=${established} of ${name}`, async () => {
    const { status } = (await server.sendJson('GET', `${DEFINITIONS}/${name}`)).body;
    const conditions = objectsIn(membersOf(status)['conditions']);
    return conditions.some((condition) => condition['type'] === 'Established' && condition['status'] === established);
  });
  return name;
}

/** Deletes a definition and waits until it is deleted. */
async function remove(server: ReferenceServer, name: string): Promise<void> {
  await server.sendJson('DELETE', `${DEFINITIONS}/${name}`);
  await waitUntil(`${name} to be deleted`, async () => (await server.sendJson('GET', `${DEFINITIONS}/${name}`)).code === 404);
}

function outcomeOf(reply: JsonResponse): DefinitionOutcome {
  const { code, body } = reply;
  return definitionOutcome({ code, message: textOf(body['message']), causes: causesOf(reply), object: body });
}
