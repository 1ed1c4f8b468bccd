/**
 * Between the spans that end and the exporter that sends them: no more of them wait than are allowed, what comes then is dropped, and it is counted what has become of
 * each. Never makes anybody wait.
 */
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { BatchSpanProcessor, type ReadableSpan, type Span, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Context } from '@opentelemetry/api';
import type { SpanCounts } from './span';

export interface ExportLimits {
  /** Spans that wait or are being sent. */
  readonly waiting: number;
  readonly batch: number;
  readonly delayMs: number;
  readonly timeoutMs: number;
}

/** Told when sending begins to fail, with the reason, and when it is good again. */
export type SendingChanged = (fault: Error | undefined) => void;

export type MutableCounts = { -readonly [K in keyof SpanCounts]: SpanCounts[K] };

const LATE_MS = 5_000;

export class BoundedExport implements SpanProcessor {
  private waiting = 0;
  private isOver = false;
  private readonly batches: BatchSpanProcessor;

  constructor(
    exporter: SpanExporter,
    private readonly limits: ExportLimits,
    private readonly counts: MutableCounts,
    changed: SendingChanged,
  ) {
    this.batches = new BatchSpanProcessor({
      exporter: this.counted(exporter, changed),
      maxQueueSize: limits.waiting,
      maxExportBatchSize: limits.batch,
      scheduledDelayMillis: limits.delayMs,
      // The exporter's own limit ends before this one, so that each batch is told of once.
      exportTimeoutMillis: limits.timeoutMs + LATE_MS,
    });
  }

  onStart(span: Span, parent: Context): void {
    this.batches.onStart(span, parent);
  }

  onEnd(span: ReadableSpan): void {
    if (this.isOver || this.waiting >= this.limits.waiting) {
      this.counts.dropped += 1;
      return;
    }
    this.waiting += 1;
    this.batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.batches.forceFlush();
  }

  shutdown(): Promise<void> {
    this.isOver = true;
    return this.batches.shutdown();
  }

  private counted(exporter: SpanExporter, changed: SendingChanged): SpanExporter {
    let isGood = true;
    const settle = (size: number, { code, error }: ExportResult): void => {
      this.waiting -= size;
      const isDone = code === ExportResultCode.SUCCESS;
      this.counts[isDone ? 'exported' : 'failed'] += size;
      if (isDone !== isGood) changed(isDone ? undefined : (error ?? new Error('the receiver of traces refused them')));
      isGood = isDone;
    };
    return {
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          settle(spans.length, result);
          done(result);
        }),
      shutdown: () => exporter.shutdown(),
    };
  }
}
