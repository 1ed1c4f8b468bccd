/** Puts policy, trails and sinks together for a server, and counts. Which requests there are it learns from the filters. */
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import { throttle } from '../../shared/runtime/throttle';
import type { AuditEvent, AuditObject, AuditSubject } from './event';
import type { AuditPolicy, Audited } from './policy';
import type { AuditLevel } from './policy-format';
import type { Lost, Sink, SinkName } from './sink';
import { Trail, type Asker, type TrailParts } from './trail';

interface Counts {
  readonly events: number;
  readonly rejected: number;
  readonly levels: Readonly<Record<AuditLevel, number>>;
  /** Events that a sink could not take. */
  readonly lost: Readonly<Record<SinkName, number>>;
}

type Asked = Pick<AuditSubject, 'auditId' | 'requestUri' | 'sourceIps' | 'userAgent'>;

/** At most so often the log says that events are lost. */
const TOLD_EVERY_MS = 60_000;
const MOST_APART_MS = 2;
const COMPARED_EVERY_MS = 1;

export class Auditor {
  private readonly counted = {
    events: 0,
    rejected: 0,
    levels: { None: 0, Metadata: 0, Request: 0, RequestResponse: 0 },
    lost: { log: 0, webhook: 0 },
  };
  private readonly parts: TrailParts;
  private sinks: readonly Sink[] = [];
  private policy: AuditPolicy = () => ({ level: 'None', omits: new Set(), omitsManagedFields: false });
  private origin = Number.NEGATIVE_INFINITY;
  /** By the monotonic clock. */
  private comparedAt = Number.NEGATIVE_INFINITY;
  private readonly tellLost: (sink: SinkName, reason: unknown) => void;

  constructor(
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.tellLost = throttle(clock, TOLD_EVERY_MS, (sink, error) =>
      logger.error('audit events are lost', { sink, lost: this.counted.lost[sink], error }),
    );
    this.parts = {
      policy: (user, about) => this.policy(user, about),
      now: () => this.origin + this.clock.monotonic(),
      record: (event) => this.record(event),
      decided: ({ level }) => void (this.counted.levels[level] += 1),
    };
  }

  /** The wall clock, to the microsecond: its own steps are followed, but between them it is the other clock that counts. */
  private now(): number {
    const passed = this.clock.monotonic();
    if (passed >= this.comparedAt + COMPARED_EVERY_MS) {
      this.comparedAt = passed;
      const origin = this.clock.now() - passed;
      if (Math.abs(origin - this.origin) > MOST_APART_MS) this.origin = origin;
    }
    return this.origin + passed;
  }

  /** From now on requests are recorded by this policy. */
  use(policy: AuditPolicy): void {
    this.policy = policy;
  }

  writeTo(...sinks: readonly Sink[]): void {
    this.sinks = sinks;
  }

  /** A request has come. */
  begin(asked: Asked, about: Audited, object: AuditObject | undefined, asker: Asker, lasting: boolean): Trail {
    const { auditId, requestUri, sourceIps, userAgent } = asked;
    const subject = { auditId, requestUri, verb: about.verb, sourceIps, userAgent, receivedAt: this.now(), written: undefined };
    return new Trail(this.parts, subject, about, object, asker, lasting);
  }

  /** A request is refused because its first event is not in safety. */
  rejected(): void {
    this.counted.rejected += 1;
  }

  get counts(): Counts {
    return this.counted;
  }

  readonly lost: Lost = (sink, events, reason) => {
    this.counted.lost[sink] += events;
    this.tellLost(sink, reason);
  };

  async close(): Promise<void> {
    await Promise.all(this.sinks.map((sink) => sink.close()));
  }

  /** Every sink gets the event, whatever the others say. */
  private record(event: AuditEvent): boolean {
    this.counted.events += 1;
    let safe = true;
    for (const sink of this.sinks) safe = sink.take(event) && safe;
    return safe;
  }
}
