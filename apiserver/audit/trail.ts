/**
 * What is remembered of one request until its end, and its stages as events. It belongs to the exchange; whoever learns something of the request
 * tells it. It keeps no more of bodies than the request's level asks for, and texts only, so that nobody changes afterwards what was recorded.
 */
import { isObject, setMember, stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../shared/values/json';
import { formatDuration } from '../../shared/cli/duration';
import { parseStoredJson } from '../../shared/serialization';
import type { UserInfo } from '../../shared/api/identity/user';
import { SUCCESS, TRUNCATED, type AuditEvent, type AuditObject, type AuditSubject } from './event';
import type { AuditPolicy, Audited, Extent } from './policy';
import type { AuditStage } from './policy-format';

/** What a trail needs of the server. */
export interface TrailParts {
  readonly policy: AuditPolicy;
  /** Milliseconds since 1970, of the clock by which the request came. */
  now(): number;
  /** False = the event is not in safety. */
  record(event: AuditEvent): boolean;
  /** The request's level is known. */
  decided(extent: Extent): void;
}

/** Who has asked so far, and how the request is being answered. */
export interface Asker {
  readonly user: UserInfo;
  readonly impersonator: UserInfo | undefined;
  readonly status: number;
}

/** In upstream's words. */
const UNANSWERED = '{"metadata":{},"status":"Success","message":"Connection closed early","code":200}';

/** Of a request that takes longer it is told how long it waited for what. */
const LONG_MS = 500;
const LATENCY = 'apiserver.latency.platform.io/';

/** Characters of an object; a longer one is left out, and the event says so. */
const LONGEST_OBJECT = 1024 * 1024;

export class Trail {
  private extent: Extent | undefined;
  private user: UserInfo | undefined;
  private annotations: Map<string, string> | undefined;
  private statusJson: JsonObject | undefined;
  private requestObject: string | undefined;
  private responseObject: string | undefined;
  /** Milliseconds, of all waits for the same. */
  private queuedMs = 0;
  private waitingSince = 0;
  private storeMs = 0;
  private started = false;
  private panicked = false;

  constructor(
    private readonly parts: TrailParts,
    private readonly subject: AuditSubject,
    private readonly about: Audited,
    private object: AuditObject | undefined,
    private readonly asker: Asker,
    /** Its answer may last. */
    private readonly lasting: boolean,
  ) {}

  /** Somebody was let in. `ignored` = nothing is recorded of this request; `failed` = its first event is not in safety. */
  received(): 'recorded' | 'ignored' | 'failed' {
    this.user = this.asker.user;
    if (this.decide().level === 'None') return 'ignored';
    return this.record('RequestReceived', false, this.subject.receivedAt) ? 'recorded' : 'failed';
  }

  /** The head of the answer goes out. */
  headSent(): void {
    if (!this.lasting || this.started || this.user === undefined) return;
    this.started = true;
    this.record('ResponseStarted', true);
  }

  /** The request is over. Nobody was let in when it was refused before that could be found out. */
  finished(): void {
    if (this.user === undefined) {
      if (this.decide().level !== 'None') this.record('ResponseStarted', true);
    } else {
      const now = this.parts.now();
      if (!this.lasting) this.tellLatency(now);
      this.record(this.panicked ? 'Panic' : 'ResponseComplete', true, now);
    }
  }

  /** It ends for a reason of ours. */
  panic(): void {
    this.panicked = true;
  }

  /** `name` in canonical spelling. What was said first stands. */
  annotate(name: string, value: string): void {
    this.annotations ??= new Map();
    if (!this.annotations.has(name)) this.annotations.set(name, value);
  }

  /** It waits for others, until it {@link goesOn}. */
  waits(): void {
    this.waitingSince = this.parts.now();
  }

  goesOn(): void {
    this.queuedMs += this.parts.now() - this.waitingSince;
  }

  /** `work` of the store, which is waited for; all such waits add up. Whoever waits for it learns of its end after the trail has. */
  timed<T>(work: Promise<T>): Promise<T> {
    const begun = this.parts.now();
    const end = (): void => void (this.storeMs += this.parts.now() - begun);
    work.then(end, end);
    return work;
  }

  private tellLatency(now: number): void {
    const total = now - this.subject.receivedAt;
    if (total <= LONG_MS) return;
    const told = { 'apf-queue-wait': this.queuedMs, etcd: this.storeMs, total };
    for (const [part, ms] of Object.entries(told)) if (ms > 0) this.annotate(LATENCY + part, formatDuration(ms));
  }

  get keepsRequest(): boolean {
    return this.extent?.level === 'Request' || this.extent?.level === 'RequestResponse';
  }

  get keepsResponse(): boolean {
    return this.extent?.level === 'RequestResponse';
  }

  /** The metadata of what was sent. What the path does not tell of the object, they tell. */
  names(metadata: JsonObject): void {
    const { object } = this;
    if (object === undefined) return;
    const said = (member: 'namespace' | 'name' | 'uid' | 'resourceVersion'): string =>
      object[member] === '' ? (stringAt(metadata, member) ?? '') : object[member];
    this.object = {
      ...object,
      namespace: said('namespace'),
      name: said('name'),
      uid: said('uid'),
      resourceVersion: said('resourceVersion'),
    };
  }

  /** The object that was sent, as JSON; `length` = of what was sent. What was said first stands. */
  requested(length: number, text: () => string): void {
    if (this.keepsRequest) this.requestObject ??= this.kept(length, text);
  }

  /** A body that is no object of a kind: a patch, or options. */
  asked(value: JsonValue): void {
    if (this.keepsRequest) this.requestObject = this.textOf(value);
  }

  /** The same as JSON, made elsewhere; undefined = it is too long. */
  askedText(text: string | undefined): void {
    if (!this.keepsRequest) return;
    if (text === undefined) this.tooLong();
    else this.requestObject = this.bounded(text);
  }

  /** The object or list that is answered with, as JSON; `length` = of that, without making it. Called only where {@link keepsResponse}. */
  answered(length: number, text: () => string): void {
    this.responseObject = this.kept(length, text);
  }

  /** The Status that is answered with; undefined = the client has not said how it would have one. */
  refused(json: JsonObject | undefined): void {
    this.decide();
    this.statusJson = json;
    if (this.keepsResponse && json !== undefined) this.responseObject = this.textOf(json);
  }

  private kept(length: number, text: () => string): string | undefined {
    if (length <= LONGEST_OBJECT)
      return this.extent?.omitsManagedFields === true ? this.textOf(parseStoredJson(Buffer.from(text()))) : this.bounded(text().trimEnd());
    this.tooLong();
    return undefined;
  }

  private decide(): Extent {
    if (this.extent !== undefined) return this.extent;
    const extent = this.parts.policy(this.user, this.about);
    this.extent = extent;
    this.parts.decided(extent);
    return extent;
  }

  private textOf(value: JsonValue): string | undefined {
    return this.bounded(stringifyJson(this.extent?.omitsManagedFields === true ? withoutManagedFields(value) : value));
  }

  private bounded(text: string): string | undefined {
    if (text.length <= LONGEST_OBJECT) return text;
    this.tooLong();
    return undefined;
  }

  private tooLong(): void {
    this.annotate(TRUNCATED, 'true');
  }

  private record(stage: AuditStage, answered: boolean, at = this.parts.now()): boolean {
    const { extent, asker } = this;
    if (extent === undefined || extent.omits.has(stage)) return true;
    return this.parts.record({
      level: extent.level,
      stage,
      subject: this.subject,
      user: this.user === undefined ? undefined : (asker.impersonator ?? this.user),
      impersonated: answered && asker.impersonator !== undefined ? asker.user : undefined,
      object: this.object,
      responseStatus: answered ? this.responseStatus() : undefined,
      code: answered ? asker.status : undefined,
      requestObject: this.requestObject,
      responseObject: this.responseObject,
      at,
      annotations: this.annotations,
    });
  }

  private responseStatus(): string {
    const { statusJson, asker } = this;
    if (statusJson === undefined && asker.status === 200) return SUCCESS;
    if (statusJson === undefined) return asker.status === 0 ? UNANSWERED : `{"metadata":{},"code":${asker.status}}`;
    const { kind: _kind, apiVersion: _apiVersion, code: _code, ...members } = statusJson;
    return stringifyJson({ ...members, code: asker.status });
  }
}

/** Of an object, of the items of a list, or of the objects in a Table. */
function withoutManagedFields(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [member, inner] of Object.entries(value)) {
    if (member === 'metadata' && isObject(inner)) {
      const { managedFields: _managedFields, ...metadata } = inner;
      setMember(copy, member, metadata);
    } else if (member === 'items' && Array.isArray(inner)) {
      setMember(copy, member, inner.map(withoutManagedFields));
    } else if (member === 'rows' && Array.isArray(inner) && value['kind'] === 'Table') {
      setMember(copy, member, inner.map(rowWithoutManagedFields));
    } else {
      setMember(copy, member, inner);
    }
  }
  return copy;
}

function rowWithoutManagedFields(row: JsonValue): JsonValue {
  return isObject(row) && isObject(row['object']) ? { ...row, object: withoutManagedFields(row['object']) } : row;
}
