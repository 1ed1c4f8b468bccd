/**
 * Writes Events about objects, in the background and without ever failing or delaying who reports: reports are joined
 * (event-correlation.ts), sent one after the other, and dropped when too many wait or the server refuses them. What the server could not do, or whose answer was
 * lost, is sent again: an Event has its name beforehand, so that twice is once.
 */
import type { JsonObject } from '../../values/json';
import { formatTimestamp } from '../../api/metadata/object-meta';
import type { Clock } from '../../runtime/clock';
import type { Logger } from '../../runtime/logger';
import type { Random } from '../../runtime/random';
import { ApiError, isAlreadyExists, isNamespaceTerminating, isNotFound } from '../rest/api-error';
import { BackOff } from '../back-off';
import { EventCorrelation, type Correlated, type Report } from './event-correlation';
import { EventNames } from './event-names';
import { resourceOf } from '../rest/resource';
import type { RestClient } from '../rest/rest-client';
import { pause } from '../signals';
import { ConnectionError } from '../transport/transport';

export interface EventRecorderOptions {
  readonly client: RestClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Who reports: `source.component`. */
  readonly component: string;
  /** Ends the repeats. */
  readonly signal: AbortSignal;
}

const EVENTS = resourceOf('core.v1.Event');
const WAITING = 1_000;
/** Of one Event; the delays between them add up to a minute or two. */
const ATTEMPTS = 12;
const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 10_000;
/** Events about cluster-scoped objects stand here. */
const CLUSTER_NAMESPACE = 'default';

export class EventRecorder {
  private readonly correlation: EventCorrelation;
  private readonly names: EventNames;
  private readonly waiting: Report[] = [];
  private sending: Promise<void> | undefined;
  private dropped = 0;

  constructor(private readonly options: EventRecorderOptions) {
    this.correlation = new EventCorrelation(options.clock);
    this.names = new EventNames(options);
  }

  record(report: Report): void {
    if (this.waiting.length >= WAITING) {
      this.dropped += 1;
      return;
    }
    this.waiting.push(report);
    this.sending ??= this.send().finally(() => (this.sending = undefined));
  }

  /** Resolves when everything that was reported has been sent or dropped. */
  async flush(): Promise<void> {
    while (this.sending !== undefined) await this.sending;
  }

  private async send(): Promise<void> {
    const { logger } = this.options;
    for (let report = this.waiting.shift(); report !== undefined; report = this.waiting.shift()) {
      try {
        await this.written(report);
      } catch (error) {
        const { about, reason } = report;
        logger.warn('an event could not be written', { reason, kind: about.kind, namespace: about.namespace, name: about.name, error });
      }
    }
    if (this.dropped > 0) logger.warn('events were dropped because too many waited', { dropped: this.dropped });
    this.dropped = 0;
  }

  private async written(report: Report): Promise<void> {
    const { clock, random, signal } = this.options;
    const correlated = this.correlation.correlate(report);
    if (correlated === undefined) return;
    const name = this.names.of(report.about.name);
    const backOff = new BackOff(random, { firstMs: FIRST_DELAY_MS, longestMs: LONGEST_DELAY_MS });
    for (let left = ATTEMPTS; ; left -= 1) {
      try {
        await this.write(report, correlated, name);
        return;
      } catch (error) {
        if (left === 1 || !mayPass(error) || !(await pause(clock, backOff.next(), signal))) throw error;
      }
    }
  }

  /** `eventName` = of the Event where a new one is made. */
  private async write(report: Report, { key, message, previous }: Correlated, eventName: string): Promise<void> {
    const { client, clock } = this.options;
    const now = formatTimestamp(clock.now());
    if (previous !== undefined) {
      const count = previous.count + 1;
      try {
        const place = { namespace: namespaceOf(report), name: previous.name };
        await client.patch(EVENTS, place, 'merge', { count, lastTimestamp: now, message });
        this.correlation.wrote(key, { name: previous.name, count });
        return;
      } catch (error) {
        // Events expire; a new one goes on counting from one.
        if (!isNotFound(error)) throw error;
        this.correlation.lost(key);
      }
    }
    try {
      await client.create(EVENTS, this.event(report, { name: eventName, message, now }));
    } catch (error) {
      // Nothing may be made in a namespace that is going away, and nobody misses it there.
      if (isNamespaceTerminating(error)) return;
      if (!isAlreadyExists(error)) throw error;
    }
    this.correlation.wrote(key, { name: eventName, count: 1 });
  }

  private event(
    { about, type, reason }: Report,
    made: { readonly name: string; readonly message: string; readonly now: string },
  ): JsonObject {
    const { component } = this.options;
    const { message, now } = made;
    const { apiVersion, kind, namespace, name, uid, resourceVersion, fieldPath } = about;
    return {
      metadata: { namespace: namespace === '' ? CLUSTER_NAMESPACE : namespace, name: made.name },
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

/** What a later attempt may not meet with again. */
function mayPass(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.code >= 500);
}

function namespaceOf({ about }: Report): string {
  return about.namespace === '' ? CLUSTER_NAMESPACE : about.namespace;
}
