/**
 * Drivers of recordings about objects of every kind: as they are created (`created-objects`), and the decoder's errors
 * about one wrong value in them (`decoding-errors`). All requests are dry runs.
 */
import { isRecordedMutation, mutatedText } from '../../../support/objects/mutation';
import { createdObjects, isObjectsHead, isSentObject, type SentObject } from '../../../support/objects/recorded-objects';
import { readRecording } from '../../recording';
import { isBody, metadataOf, objectsIn, textOf, type Body, type Json } from '../../json-response';
import type { ReferenceServer } from '../reference-server';

/** A taint that the server's admission adds to new nodes. */
const NOT_READY = 'node.kubernetes.io/not-ready';

/** Each case is an object, recorded as the server would create it. */
export async function recordCreatedObjects(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isObjectsHead, isSentObject);
  const collections = await Collections.create(server, head.namespace);
  const lines: unknown[] = [head];
  for (const { note, sent } of cases) {
    const { code, body } = await server.sendJson('POST', `${await collections.pathFor(sent)}?dryRun=All`, sent);
    if (code >= 300) throw new Error(`${note}: ${code} ${JSON.stringify(body)}`);
    lines.push({ note, sent, created: maskRunValues(body) });
  }
  return lines;
}

/** A case changes the object of its kind in the recording `objects/created` that has every member. */
export async function recordDecodingErrors(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isObjectsHead, isRecordedMutation);
  const collections = await Collections.create(server, head.namespace);
  const fullObjects = createdObjects().filter(({ note }) => note === 'everything');
  const objects = new Map(fullObjects.map(({ sent }) => [sent['kind'], sent]));
  const lines: unknown[] = [head];
  for (const { refusal: _, ...mutation } of cases) {
    const object = objects.get(mutation.kind);
    if (object === undefined) throw new Error(`no object of kind ${mutation.kind}`);
    const { code, bytes } = await server.send({
      method: 'POST',
      path: `${await collections.pathFor(object)}?dryRun=All&fieldValidation=Strict`,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(mutatedText(object, mutation)),
    });
    lines.push({ ...mutation, ...(code === 400 ? { refusal: decodingError(bytes, mutation.kind) } : {}) });
  }
  return lines;
}

/** The message of a rejection without its beginning, which is the same for all errors of a kind. */
function decodingError(bytes: Buffer, kind: string): string {
  const { message }: Body = JSON.parse(bytes.toString());
  const text = textOf(message);
  const beginning = ` cannot be handled as a ${kind}: `;
  const at = text.indexOf(beginning);
  return at < 0 ? text : text.slice(at + beginning.length);
}

/** Finds the collections of kinds by discovery. */
class Collections {
  /** Discovered resources, by the path of their group version. */
  private readonly resources = new Map<string, readonly Body[]>();

  private constructor(
    private readonly server: ReferenceServer,
    private readonly namespace: string,
  ) {}

  /** Creates the namespace, in which nothing is ever stored but a service account. */
  static async create(server: ReferenceServer, namespace: string): Promise<Collections> {
    await server.createNamespace(namespace);
    return new Collections(server, namespace);
  }

  /** The path of the collection that an object belongs to. */
  async pathFor({ apiVersion, kind }: SentObject['sent']): Promise<string> {
    const version = textOf(apiVersion);
    const root = version.includes('/') ? `/apis/${version}` : `/api/${version}`;
    const discovered = (await this.resourcesAt(root)).find(
      (resource) => resource['kind'] === kind && !textOf(resource['name']).includes('/'),
    );
    if (discovered === undefined) throw new Error(`${version} has no ${textOf(kind)}`);
    return `${root}${discovered['namespaced'] === true ? `/namespaces/${this.namespace}` : ''}/${textOf(discovered['name'])}`;
  }

  private async resourcesAt(root: string): Promise<readonly Body[]> {
    const cached = this.resources.get(root);
    if (cached !== undefined) return cached;
    const { resources } = (await this.server.sendJson('GET', root)).body;
    const discovered = objectsIn(resources);
    this.resources.set(root, discovered);
    return discovered;
  }
}

/** Omits what differs from run to run, and type and ownership, which other recordings cover. */
function maskRunValues(object: Body): Json {
  const metadata = metadataOf(object);
  const { resourceVersion: _version, managedFields: _managedFields, ...keptMetadata } = metadata;
  const { apiVersion: _apiVersion, kind, ...rest } = object;
  if (kind === 'Node' && isBody(rest['spec'])) removeAddedTaint(rest['spec']);
  const text = JSON.stringify({ ...rest, metadata: keptMetadata });
  const masked = text.replaceAll(textOf(metadata['uid']), '<uid>').replaceAll(textOf(metadata['creationTimestamp']), '<time>');
  return JSON.parse(masked) as Json;
}

/** Changes `spec`. */
function removeAddedTaint(spec: Body): void {
  const taints = (Array.isArray(spec['taints']) ? spec['taints'] : []).filter((taint) => !isBody(taint) || taint['key'] !== NOT_READY);
  if (taints.length === 0) delete spec['taints'];
  else spec['taints'] = taints;
}
