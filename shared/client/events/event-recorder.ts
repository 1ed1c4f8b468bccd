/**
 * Writes Events in the background, so that recording neither fails nor delays the caller. Events are correlated
 * (event-correlator.ts) and sent one at a time. One is dropped when the queue is full, when the server rejects it, or when
 * all attempts fail. A server error or a lost response is retried with the same name, so a retry creates no duplicate.
 */
import type { JsonObject } from '../../values/json';
import { formatTimestamp } from '../../api/metadata/object-meta';
import type { Clock } from '../../runtime/clock';
import type { Logger } from '../../runtime/logger';
import type { Random } from '../../runtime/random';
import { ApiError, isAlreadyExists, isNamespaceTerminating, isNotFound } from '../rest/api-error';
import { BackOff } from '../back-off';
import { EventCorrelator, type CorrelatedEvent, type EventReport } from './event-correlator';
import { EventNames } from './event-names';
import { resourceOf } from '../rest/resource';
import type { RestClient } from '../rest/rest-client';
import { sleepUnlessAborted } from '../signals';
import { ConnectionError } from '../transport/transport';

/** The component that records Events, and the client that sends them. */
export interface EventRecorderOptions {
  readonly client: RestClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** `source.component` of the Events. */
  readonly component: string;
  /** Ends the retries. */
  readonly signal: AbortSignal;
}

const EVENTS = resourceOf('core.v1.Event');
/** Events that wait to be sent; further ones are dropped, as in client-go. */
const MAX_QUEUED = 1_000;
/**
 * Attempts to send one Event. The eleven delays between them (0.2, 0.4, … 6.4, 10, 10, … s, and up to half more as
 * jitter) add up to 63 to 94 seconds.
 */
const MAX_ATTEMPTS = 12;
/** Delays between two attempts to send an Event: the first, and the limit. */
const INITIAL_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;
/** Namespace of Events about cluster-scoped objects. */
const CLUSTER_NAMESPACE = 'default';

/** Sends the Events of one component. Failures are logged and never reach the component. */
export class EventRecorder {
  private readonly correlation: EventCorrelator;
  private readonly names: EventNames;
  private readonly queue: EventReport[] = [];
  /** Resolves when the queue is empty; `undefined` when nothing is being sent. */
  private sending: Promise<void> | undefined;
  /** Reports that were dropped since the last message about it. */
  private dropped = 0;

  constructor(private readonly options: EventRecorderOptions) {
    this.correlation = new EventCorrelator(options.clock);
    this.names = new EventNames(options);
  }

  /** Queues the report; returns at once and never throws. */
  record(report: EventReport): void {
    if (this.queue.length >= MAX_QUEUED) {
      this.dropped += 1;
      return;
    }
    this.queue.push(report);
    this.sending ??= this.send().finally(() => (this.sending = undefined));
  }

  /** Resolves when all recorded Events have been sent or dropped. */
  async flush(): Promise<void> {
    while (this.sending !== undefined) await this.sending;
  }

  private async send(): Promise<void> {
    const { logger } = this.options;
    for (let report = this.queue.shift(); report !== undefined; report = this.queue.shift()) {
      try {
        await this.writeWithRetries(report);
      } catch (error) {
        const { about, reason } = report;
        logger.warn('an Event could not be written', { reason, kind: about.kind, namespace: about.namespace, name: about.name, error });
      }
    }
    if (this.dropped > 0) logger.warn('Events were dropped because too many were waiting', { dropped: this.dropped });
    this.dropped = 0;
  }

  private async writeWithRetries(report: EventReport): Promise<void> {
    const { clock, random, signal } = this.options;
    const correlated = this.correlation.correlate(report);
    if (correlated === undefined) return;
    const name = this.names.create(report.about.name);
    const backOff = new BackOff(random, { initialMs: INITIAL_DELAY_MS, maxMs: MAX_DELAY_MS });
    for (let attemptsLeft = MAX_ATTEMPTS; ; attemptsLeft -= 1) {
      try {
        await this.write(report, correlated, name);
        return;
      } catch (error) {
        if (attemptsLeft === 1 || !isRetryable(error) || !(await sleepUnlessAborted(clock, backOff.next(), signal))) throw error;
      }
    }
  }

  /** Counts up the previous Event, or creates one named `eventName`. */
  private async write(report: EventReport, { key, message, previous }: CorrelatedEvent, eventName: string): Promise<void> {
    const { client, clock } = this.options;
    const now = formatTimestamp(clock.now());
    if (previous !== undefined) {
      const count = previous.count + 1;
      try {
        await client.of(EVENTS).namespace(namespaceOf(report)).patch(previous.name, 'merge', { count, lastTimestamp: now, message });
        this.correlation.recordWritten(key, { name: previous.name, count });
        return;
      } catch (error) {
        // The previous Event has expired: a new one starts with a count of one.
        if (!isNotFound(error)) throw error;
        this.correlation.forget(key);
      }
    }
    try {
      await client
        .of(EVENTS)
        .namespace(namespaceOf(report))
        .create(this.buildEvent(report, { name: eventName, message, now }));
    } catch (error) {
      // Terminating namespaces accept no Events.
      if (isNamespaceTerminating(error)) return;
      if (!isAlreadyExists(error)) throw error;
    }
    this.correlation.recordWritten(key, { name: eventName, count: 1 });
  }

  private buildEvent(
    { about, type, reason }: EventReport,
    fields: { readonly name: string; readonly message: string; readonly now: string },
  ): JsonObject {
    const { component } = this.options;
    const { message, now } = fields;
    const { apiVersion, kind, namespace, name, uid, resourceVersion, fieldPath } = about;
    return {
      metadata: { namespace: namespace === '' ? CLUSTER_NAMESPACE : namespace, name: fields.name },
      involvedObject: {
        apiVersion,
        kind,
        name,
        uid,
        ...(namespace === '' ? {} : { namespace }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(fieldPath === undefined ? {} : { fieldPath }),
      },
      type,
      reason,
      message,
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
      source: { component },
      reportingComponent: component,
      reportingInstance: '',
    };
  }
}

/** Whether a later attempt may succeed. */
function isRetryable(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.code >= 500);
}

function namespaceOf({ about }: EventReport): string {
  return about.namespace === '' ? CLUSTER_NAMESPACE : about.namespace;
}
