/**
 * What happened in a cluster during a scenario: the steps that were taken and the changes of objects, with the seconds
 * since the fault, and what clients of the API and of a Service noticed.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { Change } from './object-changes';

export interface TimelineEvent extends Change {
  /** Seconds since the fault. */
  readonly at: number;
}

export interface TimelineStep {
  /** Seconds since the fault. */
  readonly at: number;
  readonly name: string;
}

/** Requests that were sent at a fixed rate, one at a time. */
export interface ProbeReport {
  readonly sent: number;
  readonly failed: number;
  /**
   * Seconds from the last success before the longest row of failures to the first one after it; from the start or to
   * the end when there is none.
   */
  readonly longestOutage: number;
}

export interface Timeline {
  readonly steps: readonly TimelineStep[];
  readonly events: readonly TimelineEvent[];
  /** Writes through the API. */
  readonly requests: ProbeReport;
  /** Requests to the Service from the network of the nodes, each over a new connection. */
  readonly service: ProbeReport;
}

export class TimelineRecorder {
  private readonly steps: TimelineStep[] = [];
  private readonly events: TimelineEvent[] = [];
  private startedAt: number | undefined;

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** The first step is the fault. */
  beginStep(name: string): void {
    this.startedAt ??= this.clock.monotonic();
    this.steps.push({ at: this.elapsed(this.startedAt), name });
  }

  /** Changes before the first step are dropped. */
  record(changes: readonly Change[]): void {
    if (this.startedAt === undefined) return;
    const at = this.elapsed(this.startedAt);
    for (const change of changes) this.events.push({ at, ...change });
  }

  /** The timeline so far. */
  finish(requests: ProbeReport, service: ProbeReport): Timeline {
    return { steps: [...this.steps], events: [...this.events], requests, service };
  }

  private elapsed(startedAt: number): number {
    return roundTenth((this.clock.monotonic() - startedAt) / 1000);
  }
}

/** Rounds to one decimal place. */
export const roundTenth = (value: number): number => Math.round(value * 10) / 10;
