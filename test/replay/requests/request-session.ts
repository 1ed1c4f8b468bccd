/**
 * Sends the requests of a recording to a server and reduces each response to what a recording holds of it. It keeps the
 * variables that later requests refer to. The recorder and the player share it, so that both treat requests and
 * responses alike. It does not compare anything.
 */
import { stringifyJson } from '../../../shared/values/json';
import { maskVolatileValues } from '../normalize/mask-volatile-values';
import { isBody, metadataOf, type Body, type Json } from '../json-response';
import { expandBody } from '../formats/request-body';
import { PATCH_MEDIA } from '../normalize/spelling';
import { memberNames } from './member-names';
import type { RecordedResponse, RecordedRequest, RequestHead } from './request-recording';

export interface SentRequest {
  readonly method: RecordedRequest['method'];
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer;
  /** The owner of the credentials. */
  readonly user: 'admin' | 'alice' | 'anonymous';
}

export interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
  readonly warnings: readonly string[];
}

export type SendRequest = (request: SentRequest) => Promise<ReceivedResponse>;

/** Translates whole texts between the names of the recording and those of the server. */
export interface Spelling {
  toServerNames(text: string): string;
  fromServerNames(text: string): string;
}

/** For recordings in the names of the server. */
export const UNCHANGED: Spelling = { toServerNames: (text) => text, fromServerNames: (text) => text };

/** The number of previous responses that a request may refer to. */
const KEPT_BODIES = 2;

export class RequestSession {
  /** Resource version and uid of the last object that was returned. */
  private version = '';
  private uid = '';
  /** By the name of the object. */
  private readonly uids = new Map<string, string>();
  /** The bodies of previous responses, the latest first. */
  private readonly bodies: string[] = [];

  constructor(
    private readonly send: SendRequest,
    private readonly namespace: string,
    private readonly head: Pick<RequestHead, 'keeps' | 'order'>,
    private readonly spelling: Spelling = UNCHANGED,
  ) {}

  /** Sends a request and returns the recorded part of the response. */
  async exchange(request: RecordedRequest): Promise<RecordedResponse> {
    const { status, text, warnings } = await this.send(this.toSentRequest(request));
    this.bodies.unshift(text);
    this.bodies.splice(KEPT_BODIES);
    const body = parseJsonOrText(this.spelling.fromServerNames(text));
    if (status < 300) this.remember(body);
    return {
      status,
      ...(warnings.length === 0 ? {} : { warnings: warnings.map((warning) => this.spelling.fromServerNames(warning)) }),
      body: this.head.order === true ? memberNames(text) : this.toRecorded(body),
    };
  }

  /** The masked body, with the members that the head keeps. */
  private toRecorded(body: Json): Json {
    const masked = maskVolatileValues(body, this.namespace);
    return this.head.keeps === undefined ? masked : keepMembers(masked, this.head.keeps);
  }

  private toSentRequest({ method, path, body, type, headers = {}, as }: RecordedRequest): SentRequest {
    const ownHeaders = Object.entries(headers).map(([name, value]) => [name, this.header(value)] as const);
    const payload = body === undefined ? undefined : this.payload(body);
    return {
      method,
      path: this.fillIn(path),
      headers: {
        'content-type': PATCH_MEDIA[type ?? ''] ?? type ?? 'application/json',
        'user-agent': 'recorder/1',
        ...impersonation(as),
        ...Object.fromEntries(ownHeaders),
      },
      ...(payload === undefined ? {} : { body: Buffer.from(payload) }),
      user: as === 'alice' || as === 'anonymous' ? as : 'admin',
    };
  }

  private payload(body: Json): string {
    if (typeof body === 'string') return this.fillIn(body);
    const responsesBack = isBody(body) ? body['$answer'] : undefined;
    if (typeof responsesBack === 'number') return this.bodies[responsesBack - 1] ?? '';
    return this.fillIn(stringifyJson(expandBody(body)));
  }

  /** Node expects header values in Latin-1; they are sent as UTF-8. */
  private header(value: string | readonly string[]): string | string[] {
    const encode = (text: string): string => Buffer.from(this.fillIn(text)).toString('latin1');
    return typeof value === 'string' ? encode(value) : value.map(encode);
  }

  /** Replaces the variables, and translates names to those of the server. */
  private fillIn(text: string): string {
    const filledIn = text
      .replaceAll('$NS', this.namespace)
      .replaceAll('$RV', this.version)
      .replace(/\$UID\(([^)]*)\)/g, (_, name: string) => this.uids.get(name) ?? '')
      .replaceAll('$UID', this.uid);
    return this.spelling.toServerNames(filledIn);
  }

  /** Sets the variables from a returned object. */
  private remember(body: Json): void {
    const { resourceVersion, uid, name } = metadataOf(body);
    if (typeof resourceVersion === 'string') this.version = resourceVersion;
    if (typeof uid === 'string') this.uid = uid;
    if (typeof uid === 'string' && typeof name === 'string') this.uids.set(name, uid);
  }
}

function impersonation(user: string | undefined): Record<string, string> {
  if (user === undefined || user === 'alice' || user === 'anonymous') return {};
  return { 'impersonate-user': user, ...(user.startsWith('system:node:') ? { 'impersonate-group': 'system:nodes' } : {}) };
}

function parseJsonOrText(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The members of an accepted object at these paths; message and reason of a rejection. */
function keepMembers(body: Json, keeps: readonly string[]): Json {
  if (!isBody(body)) return body;
  const isRejection = body['kind'] === 'Status' && body['status'] === 'Failure';
  const kept: Body = {};
  for (const path of isRejection ? ['message', 'reason'] : keeps) copyMember(body, path.split('.'), kept);
  return kept;
}

/** Copies the member at a path into `to`, which is changed. */
function copyMember(from: Body, [name = '', ...rest]: readonly string[], to: Body): void {
  const value = from[name];
  if (value === undefined) return;
  if (rest.length === 0) {
    to[name] = value;
    return;
  }
  const inner = isBody(to[name]) ? to[name] : {};
  if (isBody(value)) copyMember(value, rest, inner);
  if (Object.keys(inner).length > 0) to[name] = inner;
}
