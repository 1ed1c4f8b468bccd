/**
 * The request context that the filter chain builds up. Each part is set once, by the owner named at its setter, which is
 * mostly a filter; only the audit trail can be dropped again. Setting a part twice throws, and so does reading a part
 * before its filter has run, unless the part is optional: both are programming errors. What changes until the response is
 * complete is in exchange-progress.ts.
 */
import { FLOW_HEADERS, type Dialect, type FlowHeaders, type NamespaceAlias } from '../../../shared/names/dialect';
import type { UserInfo } from '../../../shared/api/identity/user';
import type { Priority } from '../../../shared/scheduling/event-loop-scheduler';
import type { RequestAudit } from '../../audit/request-audit';
import type { RequestContext, ServedResource } from '../../registry/verbs';
import type { RequestTrace } from '../../tracing/span';
import { longRunning, type LongRunning } from './long-running';
import { EMPTY_QUERY, type Query } from './query';
import type { RequestInfo } from './request-info';

/** The parts of the request context; {@link Exchange} adds the response. */
export abstract class ChainContext {
  private auditIdPart: string | undefined;
  private queryPart: Query | undefined;
  private infoPart: RequestInfo | undefined;
  private longRunningPart: LongRunning | undefined;
  private resourcePart: ServedResource | undefined;
  private dialectPart: Dialect | undefined;
  private bodyAlias: { readonly alias: NamespaceAlias | undefined } | undefined;
  private tracePart: RequestTrace | undefined;
  private auditPart: RequestAudit | undefined;
  private deadlinePart: number | undefined;
  private authenticatedUser: UserInfo | undefined;
  private impersonatedUser: UserInfo | undefined;
  private flowHeaders: FlowHeaders | undefined;
  private priorityPart: Priority | undefined;
  private authorizeCreatePart: RequestContext['authorizeCreate'];
  private fenceHidden: boolean | undefined;
  private logRequestObjectPart: RequestContext['logRequestObject'];

  constructor(
    /** The spelling of names in responses to requests that choose none. */
    private readonly naming: Dialect,
  ) {}

  get auditId(): string {
    return required(this.auditIdPart, 'audit ID');
  }

  /** Owner: `assignAuditId`, or the start gate. */
  setAuditId(id: string): void {
    this.auditIdPart = setOnce(this.auditIdPart, id, 'audit ID');
  }

  /** Empty until the URL has been split: an error response before that ignores `pretty`. */
  get query(): Query {
    return this.queryPart ?? EMPTY_QUERY;
  }

  /** Owner: `readRequestInfo`, or the start gate. */
  setQuery(query: Query): void {
    this.queryPart = setOnce(this.queryPart, query, 'query');
  }

  get info(): RequestInfo {
    return required(this.infoPart, 'request info');
  }

  /**
   * `undefined` when the request failed before its path was parsed. For error responses and observers of finished
   * requests.
   */
  get infoIfParsed(): RequestInfo | undefined {
    return this.infoPart;
  }

  /** How a long-running request is treated; `undefined` when the response must be complete within the deadline. */
  get longRunning(): LongRunning | undefined {
    return this.longRunningPart;
  }

  /** Owner: `readRequestInfo`. */
  setInfo(info: RequestInfo): void {
    this.infoPart = setOnce(this.infoPart, info, 'request info');
    this.longRunningPart = longRunning(info);
    if (info.kind === 'resource' && info.dialect !== undefined) this.setDialect(info.dialect);
  }

  /** The served resource that the path names; `undefined` for other paths. */
  get resource(): ServedResource | undefined {
    return this.resourcePart;
  }

  /** Owner: `readRequestInfo`, or the handler of chain.ts when the definition is newer than this replica's cache. */
  setResource(resource: ServedResource): void {
    this.resourcePart = setOnce(this.resourcePart, resource, 'resource');
  }

  /** The spelling of names in the response. */
  get dialect(): Dialect {
    return this.dialectPart ?? this.naming;
  }

  /** Owner: the path, else content negotiation, else the body of an operation. */
  setDialect(dialect: Dialect): void {
    this.dialectPart = setOnce(this.dialectPart, dialect, 'dialect');
  }

  /** The alias by which the client names a system namespace; the response uses it too. */
  get alias(): NamespaceAlias | undefined {
    if (this.bodyAlias !== undefined) return this.bodyAlias.alias;
    return this.infoPart?.kind === 'resource' ? this.infoPart.alias : undefined;
  }

  /** Owner: the handler that creates a Namespace; its alias is in the body and not in the path. */
  setBodyAlias(alias: NamespaceAlias | undefined): void {
    this.bodyAlias = setOnce(this.bodyAlias, { alias }, 'alias');
  }

  /** `undefined` when the request is not sampled. */
  get trace(): RequestTrace | undefined {
    return this.tracePart;
  }

  /** Owner: `traceRequest`, around the chain. */
  setTrace(trace: RequestTrace): void {
    this.tracePart = setOnce(this.tracePart, trace, 'trace');
  }

  /** `undefined` when no audit events are recorded for the request. */
  get audit(): RequestAudit | undefined {
    return this.auditPart;
  }

  /** Owner: `startAudit`. */
  setAudit(trail: RequestAudit): void {
    this.auditPart = setOnce(this.auditPart, trail, 'audit trail');
  }

  /**
   * Called by `auditReceived` when the policy records nothing of this user's request, or when its first event could
   * not be stored.
   */
  dropAudit(): void {
    this.auditPart = undefined;
  }

  /** In ms of Clock.monotonic; infinite for long-running requests. */
  get deadline(): number {
    return required(this.deadlinePart, 'deadline');
  }

  /** Owner: `setDeadline`. */
  setDeadline(deadline: number): void {
    this.deadlinePart = setOnce(this.deadlinePart, deadline, 'deadline');
  }

  /** The user that the request is processed for: the impersonated one, if any. */
  get user(): UserInfo {
    return this.impersonatedUser ?? required(this.authenticatedUser, 'user');
  }

  /** `undefined` when the request failed before it was authenticated. For observers of finished requests. */
  get userIfAuthenticated(): UserInfo | undefined {
    return this.impersonatedUser ?? this.authenticatedUser;
  }

  /** Owner: `authenticate`. */
  setUser(user: UserInfo): void {
    this.authenticatedUser = setOnce(this.authenticatedUser, user, 'user');
  }

  /** The authenticated user of a request that impersonates another one. */
  get impersonator(): UserInfo | undefined {
    return this.impersonatedUser === undefined ? undefined : this.authenticatedUser;
  }

  /** Owner: `impersonate`. */
  setImpersonatedUser(user: UserInfo): void {
    this.impersonatedUser = setOnce(this.impersonatedUser, user, 'impersonated user');
  }

  /** Adds the response headers that name the FlowSchema and priority level, if the request has them. */
  protected addFlowHeaders(headers: Record<string, unknown>): void {
    if (this.flowHeaders === undefined) return;
    const names = FLOW_HEADERS[this.dialect];
    headers[names.schema] = this.flowHeaders.schema;
    headers[names.level] = this.flowHeaders.level;
  }

  /** The uids of the request's FlowSchema and priority level. Owner: `applyPriorityAndFairness`. */
  setFlow(schema: string, level: string): void {
    this.flowHeaders = setOnce(this.flowHeaders, { schema, level }, 'FlowSchema');
  }

  /** The request's priority on the event loop. */
  protected get priority(): Priority {
    return required(this.priorityPart, 'priority');
  }

  /** Owner: `acquireEventLoopSlot`. */
  setPriority(priority: Priority): void {
    this.priorityPart = setOnce(this.priorityPart, priority, 'priority');
  }

  /** Authorizes a PUT or apply that would create its object; `undefined` for paths outside the API. */
  get authorizeCreate(): RequestContext['authorizeCreate'] {
    return this.authorizeCreatePart;
  }

  /** Owner: `authorize`. */
  setAuthorizeCreate(authorizeCreate: NonNullable<RequestContext['authorizeCreate']>): void {
    this.authorizeCreatePart = setOnce(this.authorizeCreatePart, authorizeCreate, 'creation refusal');
  }

  /** Whether the user may not read the Lease that the write names as its fence, so that the response must not reveal it. */
  get isFenceHidden(): boolean {
    return this.fenceHidden === true;
  }

  /** Owner: `hideFencingLease`. */
  setFenceHidden(isHidden: boolean): void {
    this.fenceHidden = setOnce(this.fenceHidden, isHidden, 'visibility of the fence');
  }

  /** Records the decoded body in the audit log; `undefined` when no audit events are recorded. */
  get logRequestObject(): RequestContext['logRequestObject'] {
    return this.logRequestObjectPart;
  }

  /** Owner: the handler that decodes the body. */
  setLogRequestObject(logRequestObject: NonNullable<RequestContext['logRequestObject']>): void {
    this.logRequestObjectPart = setOnce(this.logRequestObjectPart, logRequestObject, 'observer of the decoded body');
  }
}

function setOnce<T>(current: T | undefined, next: T, part: string): T {
  if (current !== undefined) throw new Error(`the ${part} of a request is set twice`);
  return next;
}

function required<T>(value: T | undefined, part: string): T {
  if (value === undefined) throw new Error(`the ${part} of a request is read before it is set`);
  return value;
}
