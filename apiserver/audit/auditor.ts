/**
 * Combines the audit policy, the audits of requests and the backends of a server, and counts events. Every event goes to
 * every backend. What an event contains is decided by request-audit.ts, how it is delivered by the backends.
 */
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import { throttle } from '../../shared/runtime/throttle';
import type { AuditEvent, AuditSubject } from './event';
import type { AuditPolicy } from './policy';
import type { AuditLevel } from './policy-format';
import type { OnEventsLost, AuditBackend, BackendName } from './audit-backend';
import { RequestAudit, type AuditedExchange, type RequestAuditDependencies } from './request-audit';

/** Numbers since the start of the server, for metrics. */
interface AuditCounts {
  readonly events: number;
  /** Requests that were rejected because their first event could not be recorded. */
  readonly rejected: number;
  /** Requests by the level of their matching rule. */
  readonly levels: Readonly<Record<AuditLevel, number>>;
  /** Events that a backend could not accept. */
  readonly lost: Readonly<Record<BackendName, number>>;
}

/** The attributes of a request that are known when it arrives. */
type RequestInfo = Pick<AuditSubject, 'auditId' | 'requestUri' | 'sourceIps' | 'userAgent'>;

/** Minimum interval of log messages about lost events. */
const LOSS_LOG_INTERVAL_MS = 60_000;
/**
 * The difference between the wall clock and the monotonic clock changes by rounding and drift. A larger change is a step of
 * the wall clock, which arrival times follow.
 */
const MAX_CLOCK_DRIFT_MS = 2;
/** Minimum time between two readings of the wall clock. */
const CLOCK_COMPARISON_INTERVAL_MS = 1;

/** The auditing of one server: its policy and its backends. */
export class Auditor {
  private readonly mutableCounts = {
    events: 0,
    rejected: 0,
    levels: { None: 0, Metadata: 0, Request: 0, RequestResponse: 0 },
    lost: { log: 0, webhook: 0 },
  };
  private readonly dependencies: RequestAuditDependencies;
  private backends: readonly AuditBackend[] = [];
  private policy: AuditPolicy = () => ({ level: 'None', omittedStages: new Set(), omitsManagedFields: false });
  /** Wall-clock time at which the monotonic clock was 0, in milliseconds since 1970. */
  private origin = Number.NEGATIVE_INFINITY;
  /** Monotonic time of the last comparison with the wall clock, in milliseconds. */
  private comparedAt = Number.NEGATIVE_INFINITY;
  private readonly logLoss: (backend: BackendName, reason: unknown) => void;

  constructor(
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.logLoss = throttle(clock, LOSS_LOG_INTERVAL_MS, (backend, error) =>
      logger.error('audit events were lost', { sink: backend, lost: this.mutableCounts.lost[backend], error }),
    );
    this.dependencies = {
      policy: (user, request) => this.policy(user, request),
      // Stages after the first use the origin of the last arrival, so that one reading of a clock suffices.
      now: () => this.origin + this.clock.monotonic(),
      record: (event) => this.record(event),
      onDecided: ({ level }) => void (this.mutableCounts.levels[level] += 1),
    };
  }

  /** Replaces the policy for later requests. */
  setPolicy(policy: AuditPolicy): void {
    this.policy = policy;
  }

  /** Replaces the backends for later events; the previous ones are not closed. */
  setBackends(...backends: readonly AuditBackend[]): void {
    this.backends = backends;
  }

  /** Starts the audit of a request that has just arrived. */
  startRequest({ auditId, requestUri, sourceIps, userAgent }: RequestInfo, exchange: AuditedExchange): RequestAudit {
    const { verb } = exchange.request;
    const subject = { auditId, requestUri, verb, sourceIps, userAgent, receivedAt: this.arrivalTime(), written: undefined };
    return new RequestAudit(this.dependencies, subject, exchange);
  }

  /** Counts a request that is rejected because its first event could not be recorded. */
  countRejection(): void {
    this.mutableCounts.rejected += 1;
  }

  /** The counts since the start, which change with every event. */
  get counts(): AuditCounts {
    return this.mutableCounts;
  }

  /** For the backends: counts the events and logs the loss. */
  readonly onEventsLost: OnEventsLost = (backend, events, reason) => {
    this.mutableCounts.lost[backend] += events;
    this.logLoss(backend, reason);
  };

  /** Resolves when every backend has delivered or lost its events. */
  async close(): Promise<void> {
    await Promise.all(this.backends.map((backend) => backend.close()));
  }

  /**
   * The wall-clock time of a request's arrival, with microseconds: follows steps of the wall clock, and advances by the
   * monotonic clock between them.
   */
  private arrivalTime(): number {
    const monotonic = this.clock.monotonic();
    if (monotonic >= this.comparedAt + CLOCK_COMPARISON_INTERVAL_MS) {
      this.comparedAt = monotonic;
      const origin = this.clock.now() - monotonic;
      if (Math.abs(origin - this.origin) > MAX_CLOCK_DRIFT_MS) this.origin = origin;
    }
    return this.origin + monotonic;
  }

  /** Passes the event to every backend, even when one of them fails. Returns false when one has rejected the request. */
  private record(event: AuditEvent): boolean {
    this.mutableCounts.events += 1;
    let isRecorded = true;
    for (const backend of this.backends) isRecorded = backend.processEvent(event) && isRecorded;
    return isRecorded;
  }
}
