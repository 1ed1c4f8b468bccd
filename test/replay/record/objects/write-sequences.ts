/**
 * Records sequences of writes (format `write-sequences`): codes and messages, and the final object with its managed
 * fields. A step that a rule of the kind rejects, other than a rule of metadata, is omitted: other recordings cover
 * those rules.
 */
import type { Method } from '../../../../shared/client/transport/transport';
import { readRecording } from '../../recording';
import { isBody, membersOf, textOf, type Body, type Json } from '../../json-response';
import { fromServerNames, toServerNames, PATCH_MEDIA } from '../../normalize/spelling';
import { isSequenceHead, isWriteSequence, type SequenceStep, type WriteSequence } from '../../formats/write-sequences';
import type { ReferenceServer } from '../reference-server';

const JSON_TYPE = 'application/json';
/** The status of a rejection by validation. */
const INVALID = 422;

export async function recordWriteSequences(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isSequenceHead, isWriteSequence);
  const { namespace } = head;
  await server.createNamespace(namespace);
  const lines: unknown[] = [head];
  for (const line of cases) lines.push(await recordSequence(server, namespace, line));
  return lines;
}

/** Performs the steps of a sequence, and deletes the object. */
async function recordSequence(server: ReferenceServer, namespace: string, sequence: WriteSequence): Promise<WriteSequence> {
  const { name, apiVersion, namespaced, resource } = sequence;
  const root = `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}${namespaced ? `/namespaces/${namespace}` : ''}/${resource}`;
  const steps: SequenceStep[] = [];
  for (const step of sequence.steps) {
    const { answer: _, ...sent } = step;
    const reply = await perform(server, root, name, step);
    steps.push(reply === undefined ? sent : { ...sent, answer: responseOf(reply) });
  }
  const last = await send(server, 'GET', `${root}/${name}`);
  await send(server, 'PATCH', `${root}/${name}`, { metadata: { finalizers: null } }, PATCH_MEDIA['merge']);
  await send(server, 'DELETE', `${root}/${name}?gracePeriodSeconds=0&propagationPolicy=Background`);
  return { ...sequence, steps, object: last.code === 200 ? recordedPartOf(last.body) : null };
}

interface Reply {
  readonly code: number;
  readonly body: Body;
}

/** Performs a step; `undefined` when it is omitted, because a dry run shows that a rule of the kind rejects it. */
async function perform(server: ReferenceServer, root: string, name: string, step: SequenceStep): Promise<Reply | undefined> {
  const { operation, subresource, manager, force, dryRun, body } = step;
  const path = operation === 'create' ? root : `${root}/${name}${subresource === undefined ? '' : `/${subresource}`}`;
  const query = `fieldManager=${manager}${force === true ? '&force=true' : ''}`;
  const sendWith = (parameters: string): Promise<Reply> =>
    send(server, methodOf(operation), `${path}?${parameters}`, body, PATCH_MEDIA[operation]);
  const dryRunQuery = `${query}&dryRun=All`;
  if (operation !== 'delete' && breaksRules(await sendWith(dryRunQuery))) return undefined;
  return sendWith(dryRun === true ? dryRunQuery : query);
}

function methodOf(operation: SequenceStep['operation']): Method {
  switch (operation) {
    case 'create':
      return 'POST';
    case 'update':
      return 'PUT';
    case 'delete':
      return 'DELETE';
    case 'json':
    case 'merge':
    case 'strategic':
    case 'apply':
      return 'PATCH';
  }
}

async function send(server: ReferenceServer, method: Method, path: string, body?: Json, type = JSON_TYPE): Promise<Reply> {
  const sent = Buffer.from(body === undefined ? '' : toServerNames(JSON.stringify(body)));
  const { code, bytes } = await server.send({ method, path: toServerNames(path), headers: { 'content-type': type }, body: sent });
  return { code, body: JSON.parse(fromServerNames(bytes.toString())) as Body };
}

/** Whether validation rejects the object for another reason than its metadata. */
function breaksRules({ code, body }: Reply): boolean {
  return code === INVALID && membersOf(body['details'])['kind'] !== undefined && !/(?:: |\[)metadata\./.test(messageOf(body));
}

function responseOf({ code, body }: Reply): { readonly status: number; readonly message?: string } {
  return { status: code, ...(code >= 400 && code !== INVALID ? { message: messageOf(body) } : {}) };
}

const messageOf = ({ message }: Body): string => textOf(message);

/** Members that the server's admission plug-ins add to pods. */
const ADDED_BY_ADMISSION = ['volumes', 'tolerations', 'serviceAccount', 'serviceAccountName', 'priority', 'preemptionPolicy'];
/** Metadata that differs from run to run. */
const GENERATED = ['uid', 'resourceVersion', 'creationTimestamp', 'name', 'namespace'];

/** The object without its type, what differs from run to run, and what admission adds. */
function recordedPartOf({ kind: _kind, apiVersion: _apiVersion, ...object }: Body): Body {
  const { metadata, spec } = object;
  if (isBody(metadata)) {
    for (const member of GENERATED) delete metadata[member];
    if (typeof metadata['deletionTimestamp'] === 'string') metadata['deletionTimestamp'] = '*';
    if (Array.isArray(metadata['managedFields'])) metadata['managedFields'] = metadata['managedFields'].map(withoutTime);
  }
  if (!isBody(spec) || !Array.isArray(spec['containers'])) return object;
  for (const member of ADDED_BY_ADMISSION) delete spec[member];
  for (const container of spec['containers']) if (isBody(container)) delete container['volumeMounts'];
  return object;
}

const withoutTime = (entry: Json): Json => (isBody(entry) && entry['time'] !== undefined ? { ...entry, time: '*' } : entry);
