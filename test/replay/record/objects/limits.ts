/**
 * Records dry-run writes under constraints: ResourceQuotas with a given usage (format `quotas`), and LimitRanges
 * (format `limit-ranges`). The server runs without controllers and without the admission plug-in ServiceAccount, for
 * quotas also without LimitRanger.
 */
import { setTimeout } from 'node:timers/promises';
import { readRecording } from '../../recording';
import { membersOf, metadataOf, objectsIn, type Body, type Json, type JsonResponse } from '../../json-response';
import { anything, body, listOf, mapOf, number, oneOf, shape, text } from '../../shape';
import { createObject, CreatedObjects } from './created-objects';
import type { ReferenceServer } from '../reference-server';

const NAMESPACE = 'recorded-limits';
const FOLDER = `/api/v1/namespaces/${NAMESPACE}`;
/** How long the admission plug-ins of the server need until they have seen an object. */
const PAUSE_MS = 150;

const isHead = shape({ format: oneOf('quotas', 'limit-ranges'), about: text }, { serverFlags: listOf(text) });

/** A creation of `body`, or a merge patch of the stored object `old` with it. */
interface Write {
  readonly resource: string;
  readonly body: Body;
  readonly old?: Body;
}

const isQuotaCase = shape(
  { title: text, resource: text, hard: body, used: body, spec: body, body },
  { old: body, code: number, message: text },
);
const isRangeCase = shape(
  { title: text, ranges: mapOf(listOf(anything)), resource: text, body },
  { old: body, code: number, message: text, shown: anything },
);

/** Each case is a write under one ResourceQuota. */
export async function recordQuotas(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isHead, isQuotaCase);
  return recordCases(server, head, cases, async ({ message: _message, code: _code, ...sent }, created) => {
    const { hard, used, spec } = sent;
    const quota = { metadata: { name: 'q' }, spec: { hard, ...spec } };
    const reply = await dryRun(server, sent, created, async () => {
      await createObject(server, created, `${FOLDER}/resourcequotas`, quota);
      await server.sendJson('PUT', `${FOLDER}/resourcequotas/q/status`, { ...quota, status: { hard, used } });
    });
    return { ...sent, ...outcome(reply) };
  });
}

/** Each case is a write under the LimitRanges of the case. */
export async function recordLimitRanges(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isHead, isRangeCase);
  return recordCases(server, head, cases, async ({ message: _message, code: _code, shown: _shown, ...sent }, created) => {
    const { ranges, resource } = sent;
    const reply = await dryRun(server, sent, created, async () => {
      for (const [name, limits] of Object.entries(ranges))
        await createObject(server, created, `${FOLDER}/limitranges`, { metadata: { name }, spec: { limits: [...limits] } });
    });
    const shown = resource === 'pods' ? shownPartOf(reply.body) : null;
    return { ...sent, ...outcome(reply), ...(reply.code < 300 ? { shown } : {}) };
  });
}

/** Records each case in a new namespace. */
async function recordCases<C>(
  server: ReferenceServer,
  head: unknown,
  cases: readonly C[],
  record: (recorded: C, created: CreatedObjects) => Promise<object>,
): Promise<readonly unknown[]> {
  const lines: unknown[] = [head];
  for (const recorded of cases) {
    const created = new CreatedObjects();
    await createObject(server, created, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    try {
      lines.push(await record(recorded, created));
    } finally {
      await created.remove(server);
    }
  }
  return lines;
}

/** Sends the write as a dry run. `constrain` creates the constraints after the object that is updated. */
async function dryRun(
  server: ReferenceServer,
  { resource, body: sent, old }: Write,
  created: CreatedObjects,
  constrain: () => Promise<void>,
): Promise<JsonResponse> {
  const path = `${FOLDER}/${resource}`;
  if (old !== undefined) await createObject(server, created, path, named(old));
  await constrain();
  await setTimeout(PAUSE_MS);
  return old === undefined ? server.sendJson('POST', `${path}?dryRun=All`, named(sent)) : server.mergePatch(`${path}/x?dryRun=All`, sent);
}

/** The object with the name of the write, unless it has one. */
function named(object: Body): Body {
  return { ...object, metadata: { name: 'x', ...metadataOf(object) } };
}

function outcome({ code, body: { message = null } }: JsonResponse): Body {
  return code < 300 ? { code } : { code, message };
}

/** The part of a pod that LimitRanges change. */
function shownPartOf({ metadata, spec }: Body): Json {
  const containers = (member: string): Json => {
    const list = membersOf(spec)[member];
    return list === undefined ? null : objectsIn(list).map(({ name = null, resources = null }) => ({ name, resources }));
  };
  const annotations = membersOf(metadata)['annotations'] ?? null;
  return { annotations, initContainers: containers('initContainers'), containers: containers('containers') };
}
