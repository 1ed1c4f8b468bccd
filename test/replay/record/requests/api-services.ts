/**
 * Records the responses to valid and invalid APIServices (format `api-services`). All recorded requests are dry runs.
 * Before the first update, the object to update is created with the spec `base` of the recording's head; the cases that
 * create an object of this name therefore come first. The object is deleted at the end.
 */
import { shortenPatterns } from '../../normalize/normalize-response';
import { readRecording } from '../../recording';
import { causesOf, membersOf, metadataOf, resourceVersionOf, type Body, type JsonResponse } from '../../json-response';
import { body, listOf, oneOf, shape, text, type Check } from '../../shape';
import { createObject, CreatedObjects } from '../objects/created-objects';
import type { ReferenceServer } from '../reference-server';

const COLLECTION = '/apis/apiregistration.k8s.io/v1/apiservices';
/** The status of an update with an outdated resource version. */
const CONFLICT = 409;

interface Head {
  readonly format: 'api-services';
  readonly about: string;
  /** The name of every APIService in the recording. */
  readonly name: string;
  /** The spec of the object that is updated. */
  readonly base: Body;
}

const isHead: Check<Head> = shape({ format: oneOf('api-services'), about: text, name: text, base: body }, { serverFlags: listOf(text) });
/** `to` is the request: a creation, an update, or an update of the status. */
const isCase = shape({ title: text, to: oneOf('create', 'update', 'status'), sent: body }, { answer: body });

export async function recordApiServices(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isHead, isCase);
  const created = new CreatedObjects();
  const lines: unknown[] = [head];
  let isCreated = false;
  try {
    for (const { title, to, sent } of cases) {
      if (to !== 'create' && !isCreated) {
        await createObject(server, created, COLLECTION, objectOf(head, { spec: head.base }));
        isCreated = true;
      }
      const reply = to === 'create' ? await create(server, head, sent) : await update(server, head, to, sent);
      lines.push({ title, to, sent, answer: responseOf(reply, to) });
    }
  } finally {
    await created.remove(server);
  }
  return lines;
}

const create = (server: ReferenceServer, head: Head, sent: Body): Promise<JsonResponse> =>
  server.sendJson('POST', `${COLLECTION}?dryRun=All`, objectOf(head, sent));

/** Retries conflicts, because the controllers of the server also update the object. */
async function update(server: ReferenceServer, head: Head, to: 'update' | 'status', sent: Body): Promise<JsonResponse> {
  const path = `${COLLECTION}/${head.name}${to === 'status' ? '/status' : ''}`;
  for (;;) {
    const resourceVersion = resourceVersionOf((await server.sendJson('GET', path)).body);
    const object = objectOf(head, { spec: head.base, ...sent, metadata: { ...metadataOf(sent), resourceVersion } });
    const reply = await server.sendJson('PUT', `${path}?dryRun=All`, object);
    if (reply.code !== CONFLICT) return reply;
  }
}

/** An APIService with the name of the recording. */
function objectOf({ name }: Head, { metadata, ...members }: Body): Body {
  return { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name, ...membersOf(metadata) }, ...members };
}

/** Omits the status that an update of the whole object returns: the server's controllers write it. */
function responseOf(reply: JsonResponse, to: 'create' | 'update' | 'status'): Body {
  const { code, body: object } = reply;
  if (code >= 400) return { code, causes: causesOf(reply).map((cause) => cause.map(shortenPatterns)) };
  const metadata = metadataOf(object);
  const recordedText = JSON.stringify({
    code,
    labels: metadata['labels'] ?? null,
    spec: object['spec'] ?? null,
    ...(to === 'update' ? {} : { status: object['status'] ?? null }),
  });
  const created = metadata['creationTimestamp'];
  return JSON.parse(typeof created === 'string' ? recordedText.replaceAll(created, '<time>') : recordedText);
}
