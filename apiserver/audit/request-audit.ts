/**
 * The audit of one request: filters and handlers report to it what they learn about the request, and it records an event
 * for each stage that the policy does not omit. It stores bodies only if the level of the request requires it, and as text,
 * so that recorded objects cannot change afterwards. Encoding events is left to event-line.ts.
 */
import { isObject, setMember, stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../shared/values/json';
import { formatDuration } from '../../shared/cli/duration';
import { parseStoredJson } from '../../shared/serialization';
import type { UserInfo } from '../../shared/api/identity/user';
import { SUCCESS_STATUS_JSON, TRUNCATED_ANNOTATION, type AuditEvent, type AuditObject, type AuditSubject } from './event';
import type { AuditPolicy, AuditedRequest, AuditExtent } from './policy';
import type { AuditStage } from './policy-format';

/** The policy, the clock and the backends, as the audit of a request uses them. */
export interface RequestAuditDependencies {
  readonly policy: AuditPolicy;
  /** Milliseconds since 1970, by the clock of `AuditSubject.receivedAt`. */
  now(): number;
  /** Returns false when the event could not be recorded. */
  record(event: AuditEvent): boolean;
  /** Called when the level of the request is known. */
  onDecided(extent: AuditExtent): void;
}

/** The current user and response status of the request. Read at each stage. */
export interface RequestState {
  /** The user that authorization and handlers see: after impersonation the impersonated one. */
  readonly user: UserInfo;
  /** The authenticated user of a request that impersonates another one. */
  readonly impersonator: UserInfo | undefined;
  /** The HTTP status; 0 when no response was sent. */
  readonly status: number;
}

/** Upstream's status for a response that was never sent. */
const NO_RESPONSE_STATUS_JSON = '{"metadata":{},"status":"Success","message":"Connection closed early","code":200}';

/** Requests that take longer are annotated with their latencies. */
const SLOW_REQUEST_MS = 500;
const LATENCY_PREFIX = 'apiserver.latency.platform.io/';

/** Maximum number of characters of an object; a longer one is omitted and the event is annotated. */
const MAX_OBJECT_LENGTH = 1024 * 1024;

/** A request as its audit sees it. */
export interface AuditedExchange {
  readonly request: AuditedRequest;
  /** `undefined` for a request that is not for a resource. */
  readonly object: AuditObject | undefined;
  readonly state: RequestState;
  /** The event ResponseStarted is recorded as well. */
  readonly isLongRunning: boolean;
}

/** The audit of one request. Its parts are set as the request proceeds; each stage is recorded once. */
export class RequestAudit {
  private readonly request: AuditedRequest;
  private object: AuditObject | undefined;
  private readonly state: RequestState;
  private readonly isLongRunning: boolean;
  /** What is recorded; undefined until the policy was evaluated. */
  private extent: AuditExtent | undefined;
  /** The authenticated user; undefined until {@link recordReceived}. */
  private user: UserInfo | undefined;
  private annotations: Map<string, string> | undefined;
  /** The Status of a rejected request. */
  private statusJson: JsonObject | undefined;
  private requestObject: string | undefined;
  private responseObject: string | undefined;
  /** Total time in queues. */
  private queuedMs = 0;
  /** When the present wait in a queue started, in milliseconds since 1970. */
  private waitingSince = 0;
  /** Total duration of store calls. */
  private storeMs = 0;
  private hasStartedResponse = false;
  private hasPanicked = false;

  constructor(
    private readonly dependencies: RequestAuditDependencies,
    private readonly subject: AuditSubject,
    { request, object, state, isLongRunning }: AuditedExchange,
  ) {
    this.request = request;
    this.object = object;
    this.state = state;
    this.isLongRunning = isLongRunning;
  }

  /**
   * Called after authentication. `ignored`: nothing is recorded of this request; `failed`: its first event could not
   * be recorded.
   */
  recordReceived(): 'recorded' | 'ignored' | 'failed' {
    this.user = this.state.user;
    if (this.decideExtent().level === 'None') return 'ignored';
    return this.record('RequestReceived', { hasResponse: false, at: this.subject.receivedAt }) ? 'recorded' : 'failed';
  }

  /** Called when the response headers are sent. */
  recordResponseStarted(): void {
    if (!this.isLongRunning || this.hasStartedResponse || this.user === undefined) return;
    this.hasStartedResponse = true;
    this.record('ResponseStarted', { hasResponse: true });
  }

  /** Called at the end of the request, also of one that was rejected before it was authenticated. */
  recordCompleted(): void {
    if (this.user === undefined) {
      if (this.decideExtent().level !== 'None') this.record('ResponseStarted', { hasResponse: true });
    } else {
      const now = this.dependencies.now();
      if (!this.isLongRunning) this.annotateLatency(now);
      this.record(this.hasPanicked ? 'Panic' : 'ResponseComplete', { hasResponse: true, at: now });
    }
  }

  /** Called when the request ends because of a server error. */
  markPanic(): void {
    this.hasPanicked = true;
  }

  /** `name` is in canonical form. The first value of a name is preserved. */
  annotate(name: string, value: string): void {
    this.annotations ??= new Map();
    if (!this.annotations.has(name)) this.annotations.set(name, value);
  }

  /** The request starts to wait in a queue, until {@link endQueueWait}. */
  startQueueWait(): void {
    this.waitingSince = this.dependencies.now();
  }

  /** Adds the time since {@link startQueueWait}. */
  endQueueWait(): void {
    this.queuedMs += this.dependencies.now() - this.waitingSince;
  }

  /** Adds the duration of a store call. Callers that await it continue after it has been measured. */
  timeStoreCall<T>(work: Promise<T>): Promise<T> {
    const startedAt = this.dependencies.now();
    const end = (): void => void (this.storeMs += this.dependencies.now() - startedAt);
    work.then(end, end);
    return work;
  }

  private annotateLatency(now: number): void {
    const total = now - this.subject.receivedAt;
    if (total <= SLOW_REQUEST_MS) return;
    const latencies = { 'apf-queue-wait': this.queuedMs, etcd: this.storeMs, total };
    for (const [part, ms] of Object.entries(latencies)) if (ms > 0) this.annotate(LATENCY_PREFIX + part, formatDuration(ms));
  }

  /** Whether the request object is recorded; false before the level is known. */
  get recordsRequest(): boolean {
    return this.extent?.level === 'Request' || this.extent?.level === 'RequestResponse';
  }

  /** Whether the response object is recorded; false before the level is known. */
  get recordsResponse(): boolean {
    return this.extent?.level === 'RequestResponse';
  }

  /** Takes the members of the object reference that the path does not have from the metadata of the request object. */
  addObjectMetadata(metadata: JsonObject): void {
    const { object } = this;
    if (object === undefined) return;
    const memberOf = (member: 'namespace' | 'name' | 'uid' | 'resourceVersion'): string =>
      object[member] === '' ? (stringAt(metadata, member) ?? '') : object[member];
    this.object = {
      ...object,
      namespace: memberOf('namespace'),
      name: memberOf('name'),
      uid: memberOf('uid'),
      resourceVersion: memberOf('resourceVersion'),
    };
  }

  /**
   * Records the request object, which `text` returns as JSON; `length` is the length of the received body. A second object
   * is ignored.
   */
  recordRequestObject(length: number, text: () => string): void {
    if (this.recordsRequest) this.requestObject ??= this.captureObject(length, text);
  }

  /** Records a request body that is not an API object: a patch, or options. */
  recordRequestValue(value: JsonValue): void {
    if (this.recordsRequest) this.requestObject = this.stringify(value);
  }

  /** Like {@link recordRequestValue}, for a body that was encoded as JSON elsewhere; `undefined` when it is too long. */
  recordRequestText(text: string | undefined): void {
    if (!this.recordsRequest) return;
    if (text === undefined) this.markTruncated();
    else this.requestObject = this.limitLength(text);
  }

  /**
   * Records the response object, which `text` returns as JSON; `length` is its length, known without creating the text.
   * Called only if {@link recordsResponse}.
   */
  recordResponseObject(length: number, text: () => string): void {
    this.responseObject = this.captureObject(length, text);
  }

  /** Records the Status of a rejected request; undefined when no representation was negotiated. */
  recordRejection(json: JsonObject | undefined): void {
    this.decideExtent();
    this.statusJson = json;
    if (this.recordsResponse && json !== undefined) this.responseObject = this.stringify(json);
  }

  /** The text of an object; undefined, with the annotation, when it is too long. */
  private captureObject(length: number, text: () => string): string | undefined {
    if (length <= MAX_OBJECT_LENGTH)
      return this.extent?.omitsManagedFields === true ? this.stringify(parseStoredJson(text())) : this.limitLength(text().trimEnd());
    this.markTruncated();
    return undefined;
  }

  /** Evaluates the policy at the first call. */
  private decideExtent(): AuditExtent {
    if (this.extent !== undefined) return this.extent;
    const extent = this.dependencies.policy(this.user, this.request);
    this.extent = extent;
    this.dependencies.onDecided(extent);
    return extent;
  }

  private stringify(value: JsonValue): string | undefined {
    return this.limitLength(stringifyJson(this.extent?.omitsManagedFields === true ? withoutManagedFields(value) : value));
  }

  private limitLength(text: string): string | undefined {
    if (text.length <= MAX_OBJECT_LENGTH) return text;
    this.markTruncated();
    return undefined;
  }

  private markTruncated(): void {
    this.annotate(TRUNCATED_ANNOTATION, 'true');
  }

  /** `at`: the time of the event, by default now. Returns false when the event could not be recorded. */
  private record(
    stage: AuditStage,
    { hasResponse, at = this.dependencies.now() }: { readonly hasResponse: boolean; readonly at?: number },
  ): boolean {
    const { extent, state } = this;
    if (extent === undefined || extent.omittedStages.has(stage)) return true;
    return this.dependencies.record({
      level: extent.level,
      stage,
      subject: this.subject,
      user: this.user === undefined ? undefined : (state.impersonator ?? this.user),
      impersonated: hasResponse && state.impersonator !== undefined ? state.user : undefined,
      object: this.object,
      responseStatus: hasResponse ? this.responseStatus() : undefined,
      code: hasResponse ? state.status : undefined,
      requestObject: this.requestObject,
      responseObject: this.responseObject,
      at,
      annotations: this.annotations,
    });
  }

  /** The status as JSON, without kind and apiVersion, and with the code of the response. */
  private responseStatus(): string {
    const { statusJson, state } = this;
    if (statusJson === undefined && state.status === 200) return SUCCESS_STATUS_JSON;
    if (statusJson === undefined) return state.status === 0 ? NO_RESPONSE_STATUS_JSON : `{"metadata":{},"code":${state.status}}`;
    const { kind: _kind, apiVersion: _apiVersion, code: _code, ...members } = statusJson;
    return stringifyJson({ ...members, code: state.status });
  }
}

/** Removes the managed fields of an object, of the items of a list, or of the objects in a Table. */
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
