/**
 * A span processor with a bounded queue before the exporter: spans over the limit are dropped, and the outcome of every
 * span is counted. Never blocks the caller.
 */
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { BatchSpanProcessor, type ReadableSpan, type Span, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Context } from '@opentelemetry/api';
import type { SpanCounts } from './span';

/** The queue before the exporter, and its batches. */
export interface ExportLimits {
  /** Maximum number of spans that wait or are being exported. */
  readonly maxQueueSize: number;
  /** Maximum number of spans in one export. */
  readonly maxBatchSize: number;
  /** Milliseconds that spans of an incomplete batch wait. */
  readonly delayMs: number;
  /** Milliseconds that an export may take. */
  readonly timeoutMs: number;
}

/** Called when exports start to fail, with the reason, and with undefined when they succeed again. */
export type OnExportStateChange = (error: Error | undefined) => void;

/** The counts as the processor increments them. */
export type MutableSpanCounts = { -readonly [K in keyof SpanCounts]: SpanCounts[K] };

/** By how much the processor's timeout of an export exceeds that of the exporter. */
const TIMEOUT_MARGIN_MS = 5_000;

/** Holds a limited number of ended spans until they are exported. */
export class BoundedSpanProcessor implements SpanProcessor {
  private queuedSpans = 0;
  private isShutDown = false;
  private readonly batchProcessor: BatchSpanProcessor;

  constructor(
    exporter: SpanExporter,
    private readonly limits: ExportLimits,
    private readonly counts: MutableSpanCounts,
    onStateChange: OnExportStateChange,
  ) {
    this.batchProcessor = new BatchSpanProcessor({
      exporter: this.countResults(exporter, onStateChange),
      maxQueueSize: limits.maxQueueSize,
      maxExportBatchSize: limits.maxBatchSize,
      scheduledDelayMillis: limits.delayMs,
      // Longer than the exporter's own timeout, so that each batch has one outcome.
      exportTimeoutMillis: limits.timeoutMs + TIMEOUT_MARGIN_MS,
    });
  }

  onStart(span: Span, parent: Context): void {
    this.batchProcessor.onStart(span, parent);
  }

  onEnd(span: ReadableSpan): void {
    if (this.isShutDown || this.queuedSpans >= this.limits.maxQueueSize) {
      this.counts.dropped += 1;
      return;
    }
    this.queuedSpans += 1;
    this.batchProcessor.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.batchProcessor.forceFlush();
  }

  shutdown(): Promise<void> {
    this.isShutDown = true;
    return this.batchProcessor.shutdown();
  }

  private countResults(exporter: SpanExporter, onStateChange: OnExportStateChange): SpanExporter {
    let isHealthy = true;
    const onResult = (size: number, { code, error }: ExportResult): void => {
      this.queuedSpans -= size;
      const isSuccess = code === ExportResultCode.SUCCESS;
      this.counts[isSuccess ? 'exported' : 'failed'] += size;
      if (isSuccess !== isHealthy) onStateChange(isSuccess ? undefined : (error ?? new Error('the receiver of traces rejected them')));
      isHealthy = isSuccess;
    };
    return {
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          onResult(spans.length, result);
          done(result);
        }),
      shutdown: () => exporter.shutdown(),
    };
  }
}
