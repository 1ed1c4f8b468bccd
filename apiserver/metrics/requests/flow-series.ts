/**
 * Counts the requests of one flow schema in its priority level, as FlowControl reports them. The counts are exposed by
 * flow-control-metrics.ts.
 */
import type { FlowMeter } from '../../flow-control/flow-control';
import type { RejectReason } from '../../flow-control/queue-set';
import type { HistogramSeries } from '../registry/histogram';

/** The labels of a pair of flow schema and priority level. */
export interface FlowLabels {
  readonly flow_schema: string;
  readonly priority_level: string;
}

/** The histograms of a pair. */
interface FlowHistograms {
  /** Seconds that dispatched and rejected requests waited in queues. */
  readonly dispatchedWaits: HistogramSeries;
  readonly rejectedWaits: HistogramSeries;
  /** Seconds that requests occupied their seats. */
  readonly executions: HistogramSeries;
  /** Lengths of queues after a request was added. */
  readonly queueLengths: HistogramSeries;
  /** Seats per dispatched request. */
  readonly seats: HistogramSeries;
}

/** The series of one pair. Its methods are the contract of {@link FlowMeter}. */
export class FlowSeries implements FlowMeter {
  dispatchedRequests = 0;
  readonly rejectedRequests = new Map<RejectReason, number>();
  waiting = 0;
  waitingSeats = 0;
  executing = 0;
  executingSeats = 0;

  constructor(
    readonly labels: FlowLabels,
    private readonly histograms: FlowHistograms,
  ) {}

  queued(seats: number): void {
    this.waiting += 1;
    this.waitingSeats += seats;
  }

  dispatched(seats: number, waitedMs: number, queueLength: number | undefined): void {
    const { histograms } = this;
    // Without a length, the request found free seats and was in no queue.
    if (queueLength !== undefined) this.leaveQueue(seats, queueLength);
    this.dispatchedRequests += 1;
    this.executing += 1;
    this.executingSeats += seats;
    histograms.seats.observe(seats);
    histograms.dispatchedWaits.observe(waitedMs / 1000);
  }

  rejected(reason: RejectReason, seats: number, waitedMs: number, queueLength: number): void {
    this.leaveQueue(seats, queueLength);
    this.rejectedRequests.set(reason, (this.rejectedRequests.get(reason) ?? 0) + 1);
    this.histograms.rejectedWaits.observe(waitedMs / 1000);
  }

  finished(seats: number, ms: number): void {
    this.executing -= 1;
    this.executingSeats -= seats;
    this.histograms.executions.observe(ms / 1000);
  }

  private leaveQueue(seats: number, queueLength: number): void {
    this.waiting -= 1;
    this.waitingSeats -= seats;
    this.histograms.queueLengths.observe(queueLength);
  }
}
