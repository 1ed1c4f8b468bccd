/**
 * Records the format `kind-cases`. Every recorded request is a dry run; the objects that updates replace are stored in
 * the namespace `ns` for the duration of a recording and deleted at its end.
 */
import { setTimeout } from 'node:timers/promises';
import {
  isKindHead,
  isUnrecordedKindCase,
  REQUESTS,
  type KindHead,
  type KindRequest,
  type RecordedResponse,
  type UnrecordedKindCase,
} from '../../formats/kind-case';
import { shortenPatterns, shortenStructs, withoutVolatileFields } from '../../normalize/normalize-response';
import { readRecording } from '../../recording';
import { causesOf, metadataOf, resourceVersionOf, textOf, type Body, type JsonResponse } from '../../json-response';
import { namedBody } from '../../formats/request-body';
import { withRecordedOrder } from '../recorded-order';
import type { RecordingDriver } from '../recording-driver';
import type { ReferenceServer } from '../reference-server';
import { toCanonical, toUpstream } from '../spelling';

/** The namespace of the tests that replay the cases; messages name it. */
const NAMESPACE = 'ns';
const NEW_NAME = 'recorded-new';
/** The most characters of a recorded object; longer ones would make a recording unreadable. */
const MAX_OBJECT_LENGTH = 2000;
/** Long enough for the controllers of the reference server to see an object. */
const OBSERVATION_DELAY_MS = 100;
/** The subresource of each request. */
const SUBRESOURCES = { status: 'status', scale: 'scale', ephemeral: 'ephemeralcontainers' } as const;

export const recordKindCases: RecordingDriver = async (recording, server) => {
  const { head, cases } = readRecording(recording, isKindHead, isUnrecordedKindCase);
  await server.createIfAbsent('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  const recorder = new KindRecorder(server, head);
  const recorded: UnrecordedKindCase[] = [];
  try {
    for (const kindCase of cases) recorded.push(await recorder.record(kindCase));
  } finally {
    await recorder.deleteStored();
  }
  return [head, ...recorded];
};

interface StoredObject {
  readonly name: string;
  readonly resourceVersion: string;
}

interface StoredParts {
  /** Whether the status is stored, which it is only for updates of the status subresource. */
  readonly hasStatus: boolean;
}

export class KindRecorder {
  private readonly path: string;
  private readonly apiVersion: string;
  /** The objects that updates replace, by body. */
  private readonly stored = new Map<string, StoredObject>();

  constructor(
    private readonly server: ReferenceServer,
    private readonly head: KindHead,
  ) {
    this.apiVersion = toUpstream(head.apiVersion);
    const root = this.apiVersion.includes('/') ? `/apis/${this.apiVersion}` : `/api/${this.apiVersion}`;
    this.path = `${root}${head.namespaced ? `/namespaces/${NAMESPACE}` : ''}/${head.resource}`;
  }

  /** Sends the requests of a case and returns it with the new responses. */
  async record(kindCase: UnrecordedKindCase): Promise<UnrecordedKindCase> {
    const { old = this.head.base, body } = kindCase;
    const recorded: { [R in KindRequest]?: RecordedResponse | 'same' } = {};
    for (const request of this.requestsOf(kindCase)) {
      const response = request === 'create' ? await this.create(body) : await this.update(request, old, body);
      const previous = kindCase[request] === 'same' ? recorded.create : (kindCase[request] ?? undefined);
      const comparable = withRecordedOrder(response, previous);
      const isSame = request === 'update' && JSON.stringify(comparable) === JSON.stringify(recorded.create);
      recorded[request] = isSame ? 'same' : comparable;
    }
    return { ...kindCase, ...recorded };
  }

  /** Called after the last case. */
  async deleteStored(): Promise<void> {
    for (const { name } of this.stored.values()) await this.delete(name);
  }

  /** The requests that a case is recorded for: those with a response, or the default ones of a new case. */
  private requestsOf(kindCase: UnrecordedKindCase): readonly KindRequest[] {
    const requests = REQUESTS.filter((request) => kindCase[request] !== undefined);
    if (requests.length > 0) return requests;
    if (kindCase.old !== undefined) return ['update'];
    return this.head.defaultRequests.filter((request) => request === 'create' || !hasName(kindCase.body));
  }

  private create(body: Body): Promise<RecordedResponse> {
    return this.dryRun('POST', this.path, namedBody(this.typed(body), NEW_NAME));
  }

  /** Replaces a stored object or one of its subresources. */
  private async update(request: Exclude<KindRequest, 'create'>, old: Body, body: Body): Promise<RecordedResponse> {
    const { name, resourceVersion } = await this.store(old, { hasStatus: request === 'status' });
    const typed = request === 'scale' ? { apiVersion: 'autoscaling/v1', kind: 'Scale', ...upstream(body) } : this.typed(body);
    const path = request === 'update' ? `${this.path}/${name}` : `${this.path}/${name}/${SUBRESOURCES[request]}`;
    const response = await this.dryRun('PUT', path, namedBody(typed, name, resourceVersion));
    if (request !== 'update' || this.head.isModifiedByServer !== true || response.object === undefined) return response;
    return { ...response, object: { ...response.object, status: {} } };
  }

  private async dryRun(method: 'POST' | 'PUT', path: string, sent: Body): Promise<RecordedResponse> {
    const reply = await this.server.sendJson(method, `${path}?dryRun=All`, sent);
    const response: RecordedResponse = JSON.parse(toCanonical(JSON.stringify(this.responseOf(sent, reply))));
    return response;
  }

  /** The body in upstream's spelling, with its type. */
  private typed(body: Body): Body {
    return { apiVersion: this.apiVersion, kind: this.head.kind, ...upstream(body) };
  }

  /** Also removes finalizers, because the reference server may run without the controllers that do. */
  private async delete(name: string): Promise<void> {
    const path = `${this.path}/${name}`;
    const { code, body } = await this.server.sendJson('DELETE', path, { gracePeriodSeconds: 0, propagationPolicy: 'Background' });
    if (code === 404) return;
    if (metadataOf(body)['finalizers'] !== undefined) await this.server.mergePatch(path, { metadata: { finalizers: null } });
    if (this.head.kind === 'Namespace')
      await this.server.sendJson('PUT', `${path}/finalize`, { metadata: { name }, spec: { finalizers: [] } });
  }

  /** The stored object with this body, and its present resource version. */
  private async store(body: Body, parts: StoredParts): Promise<StoredObject> {
    const key = JSON.stringify([body, parts]);
    let object = this.stored.get(key);
    if (object === undefined) {
      object = await this.createStored(body, parts);
      this.stored.set(key, object);
    }
    if (this.head.isModifiedByServer !== true) return object;
    await setTimeout(OBSERVATION_DELAY_MS);
    return {
      name: object.name,
      resourceVersion: resourceVersionOf((await this.server.sendJson('GET', `${this.path}/${object.name}`)).body),
    };
  }

  private async createStored(body: Body, { hasStatus }: StoredParts): Promise<StoredObject> {
    const name = `recorded-${this.stored.size}`;
    // An interrupted run may have left one.
    await this.delete(name);
    const sent = namedBody(this.typed(body), name);
    const { status } = sent;
    let reply = await this.server.sendJson('POST', this.path, sent);
    if (reply.code === 201 && hasStatus && status !== undefined)
      reply = await this.server.sendJson('PUT', `${this.path}/${name}/status`, { ...reply.body, status });
    if (reply.code > 201) throw new Error(`${name} was rejected: ${JSON.stringify([body, reply.body])}`);
    return { name, resourceVersion: resourceVersionOf(reply.body) };
  }

  private responseOf(sent: Body, reply: JsonResponse): RecordedResponse {
    const { code, body, warnings } = reply;
    const causes = causesOf(reply).map((cause) => cause.map((text) => shortenStructs(shortenPatterns(text))));
    const message = textOf(body['message']);
    return {
      code,
      ...(causes.length > 0 ? { causes } : {}),
      ...(code >= 400 && causes.length === 0 && message !== '' ? { message } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(code < 400 && this.head.omitsObjects !== true ? this.acceptedObject(sent, body) : {}),
    };
  }

  /** What the server changed of the object that was sent, and the names of the members that it did not change. */
  private acceptedObject(sent: Body, body: Body): Pick<RecordedResponse, 'object' | 'asSent'> {
    const { apiVersion: _apiVersion, kind: _kind, ...object } = withoutVolatileFields(body, this.head.omittedSpecFields);
    const members = Object.keys(object);
    const isAsSent = (member: string): boolean => JSON.stringify(object[member]) === JSON.stringify(sent[member]);
    const changedMembers = members.filter((member) => !isAsSent(member));
    const changed = Object.fromEntries(changedMembers.map((member) => [member, object[member] ?? null]));
    return JSON.stringify(changed).length > MAX_OBJECT_LENGTH ? {} : { object: changed, asSent: members.filter(isAsSent) };
  }
}

function upstream(body: Body): Body {
  const spelled: Body = JSON.parse(toUpstream(JSON.stringify(body)));
  return spelled;
}

function hasName(body: Body): boolean {
  const { name, generateName } = metadataOf(body);
  return name !== undefined || generateName !== undefined;
}
