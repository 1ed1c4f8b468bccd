/**
 * What is remembered of one request until its end, and its stages as events. It belongs to the exchange; whoever learns something of the request
 * tells it. It keeps no more of bodies than the request's level asks for, and texts only, so that nobody changes afterwards what was recorded.
 */
import { isObject, objectAt, setMember, stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../shared/values/json';
import { parseStored } from '../../shared/serialization';
import { apiVersionIn, type Dialect } from '../../shared/names/dialect';
import type { UserInfo } from '../../shared/api/identity/user';
import { TRUNCATED, type AuditEvent, type AuditObject, type AuditSubject } from './event';
import type { AuditPolicy, Audited, Extent } from './policy';
import type { AuditStage } from './policy-format';

/** What a trail needs of the server. */
export interface TrailParts {
  readonly naming: Dialect;
  readonly policy: AuditPolicy;
  /** Milliseconds since 1970. */
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

/** Of what kind a body is meant to be. */
interface AskedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** In upstream's words. */
const UNANSWERED = '{"metadata":{},"status":"Success","message":"Connection closed early","code":200}';

/** Characters of an object; a longer one is left out, and the event says so. */
const LONGEST_OBJECT = 1024 * 1024;

export class Trail {
  private extent: Extent | undefined;
  private user: UserInfo | undefined;
  private annotations: Map<string, string> | undefined;
  private statusJson: JsonObject | undefined;
  private requestObject: string | undefined;
  private responseObject: string | undefined;
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
    return this.record('RequestReceived', false) ? 'recorded' : 'failed';
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
      this.record(this.panicked ? 'Panic' : 'ResponseComplete', true);
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

  get keepsRequest(): boolean {
    return this.extent?.level === 'Request' || this.extent?.level === 'RequestResponse';
  }

  get keepsResponse(): boolean {
    return this.extent?.level === 'RequestResponse';
  }

  /** What of the object of a write is kept. */
  get keptRequest(): 'whole' | 'withoutManagedFields' | undefined {
    if (!this.keepsRequest) return undefined;
    return this.extent?.omitsManagedFields === true ? 'withoutManagedFields' : 'whole';
  }

  /** The decoded object of a write. What the path does not tell of it, it tells itself. */
  requested(value: JsonObject, { group, version, kind }: AskedKind): void {
    this.described(value);
    if (this.keepsRequest)
      this.asked({ kind, apiVersion: apiVersionIn(this.parts.naming, group === '' ? version : `${group}/${version}`), ...value });
  }

  /** The same, made elsewhere: its place, and what is kept of it; undefined = it is too long. */
  requestedText(head: JsonObject, text: string | undefined): void {
    this.described(head);
    if (!this.keepsRequest) return;
    if (text === undefined) this.tooLong();
    else this.requestObject = text;
  }

  private described(value: JsonObject): void {
    const metadata = objectAt(value, 'metadata');
    const { object } = this;
    if (object !== undefined && metadata !== undefined) {
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
  }

  /** A body that is no object of a kind: a patch, or options. */
  asked(value: JsonValue): void {
    if (this.keepsRequest) this.requestObject = this.textOf(value);
  }

  /** The object or list that is answered with, as JSON; `length` = of that, without making it. Called only where {@link keepsResponse}. */
  answered(length: number, text: () => string): void {
    if (length > LONGEST_OBJECT) this.tooLong();
    else this.responseObject = this.extent?.omitsManagedFields === true ? this.textOf(parseStored(Buffer.from(text()))) : text().trimEnd();
  }

  /** The Status that is answered with. */
  refused(json: JsonObject): void {
    this.statusJson = json;
    this.decide();
    if (this.keepsResponse) this.responseObject = this.textOf(json);
  }

  private decide(): Extent {
    if (this.extent !== undefined) return this.extent;
    const extent = this.parts.policy(this.user, this.about);
    this.extent = extent;
    this.parts.decided(extent);
    return extent;
  }

  private textOf(value: JsonValue): string | undefined {
    const text = stringifyJson(this.extent?.omitsManagedFields === true ? withoutManagedFields(value) : value);
    if (text.length <= LONGEST_OBJECT) return text;
    this.tooLong();
    return undefined;
  }

  private tooLong(): void {
    this.annotate(TRUNCATED, 'true');
  }

  private record(stage: AuditStage, answered: boolean): boolean {
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
      at: stage === 'RequestReceived' ? this.subject.receivedAt : this.parts.now(),
      annotations: this.annotations,
    });
  }

  private responseStatus(): string {
    const { statusJson, asker } = this;
    if (statusJson === undefined) return asker.status === 0 ? UNANSWERED : `{"metadata":{},"code":${asker.status}}`;
    const { kind: _kind, apiVersion: _apiVersion, code: _code, ...members } = statusJson;
    return stringifyJson({ ...members, code: asker.status });
  }
}

/** Of an object, or of the items of a list. */
function withoutManagedFields(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [member, inner] of Object.entries(value)) {
    if (member === 'metadata' && isObject(inner)) {
      const { managedFields: _managedFields, ...metadata } = inner;
      setMember(copy, member, metadata);
    } else if (member === 'items' && Array.isArray(inner)) {
      setMember(copy, member, inner.map(withoutManagedFields));
    } else {
      setMember(copy, member, inner);
    }
  }
  return copy;
}
