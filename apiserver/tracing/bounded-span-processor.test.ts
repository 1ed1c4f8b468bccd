/** Export of spans to a receiver that accepts or rejects them, or does not respond. */
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import { waitUntil } from '../../test/support/programs';
import { stopAfterTest } from '../../test/support/use-resource';
import { BoundedSpanProcessor } from './bounded-span-processor';

/** No batch is exported or given up because of its age within a test. */
const LIMITS = { maxQueueSize: 8, maxBatchSize: 4, delayMs: 60_000, timeoutMs: 60_000 };

/** An exporter that responds when the test calls `done`. */
class HeldExporter implements SpanExporter {
  readonly batches: { readonly names: readonly string[]; readonly done: (result: ExportResult) => void }[] = [];
  private isReleased = false;

  export(spans: Parameters<SpanExporter['export']>[0], done: (result: ExportResult) => void): void {
    if (this.isReleased) done({ code: ExportResultCode.SUCCESS });
    else this.batches.push({ names: spans.map(({ name }) => name), done });
  }

  /** Accepts all batches, now and later. */
  release(): void {
    this.isReleased = true;
    for (const { done } of this.batches) done({ code: ExportResultCode.SUCCESS });
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

const shutDownAfterTest = stopAfterTest(({ exporter, processor }: { exporter: HeldExporter; processor: BoundedSpanProcessor }) => {
  exporter.release();
  return processor.shutdown();
});

function createFixture() {
  const exporter = new HeldExporter();
  /** The message of each start of failures, and undefined for each end. */
  const stateChanges: (string | undefined)[] = [];
  const counts = { exported: 0, failed: 0, dropped: 0 };
  const processor = new BoundedSpanProcessor(exporter, LIMITS, counts, (error) => void stateChanges.push(error?.message));
  shutDownAfterTest({ exporter, processor });
  const tracer = new TracerProvider({ spanProcessors: [processor] }).getTracer('test');
  const endSpans = (count: number): void => {
    for (let index = 0; index < count; index += 1) tracer.startSpan(`span ${index}`, {}, ROOT_CONTEXT).end();
  };
  return { exporter, stateChanges, processor, counts, endSpans };
}

it('BoundedSpanProcessor drops and counts spans over the limit while no batch completes', () => {
  const { exporter, counts, endSpans } = createFixture();
  endSpans(20);
  expect(exporter.batches.map(({ names }) => names.length)).toEqual([LIMITS.maxBatchSize]);
  expect(counts).toEqual({ exported: 0, failed: 0, dropped: 12 });
});

it('BoundedSpanProcessor accepts as many further spans as have been exported', () => {
  const { exporter, counts, endSpans } = createFixture();
  endSpans(LIMITS.maxQueueSize);
  exporter.batches[0]?.done({ code: ExportResultCode.SUCCESS });
  endSpans(LIMITS.maxBatchSize + 1);
  expect(counts).toEqual({ exported: 4, failed: 0, dropped: 1 });
});

it('BoundedSpanProcessor counts failed spans, and reports when exports start to fail and succeed again', async () => {
  const { exporter, stateChanges, processor, counts, endSpans } = createFixture();
  const failure = { code: ExportResultCode.FAILED, error: new Error('connection refused') };
  const failureWithoutReason = { code: ExportResultCode.FAILED };
  for (const result of [failure, failure, { code: ExportResultCode.SUCCESS }, failureWithoutReason]) {
    endSpans(2);
    const flushed = processor.forceFlush().catch(() => undefined);
    exporter.batches.at(-1)?.done(result);
    await flushed;
  }
  expect(counts).toEqual({ exported: 2, failed: 6, dropped: 0 });
  expect(stateChanges).toEqual(['connection refused', undefined, 'the receiver of traces rejected them']);
});

it('BoundedSpanProcessor exports spans that end before shutdown, and drops later ones', async () => {
  const { exporter, processor, counts, endSpans } = createFixture();
  endSpans(2);
  const closed = processor.shutdown();
  endSpans(3);
  await waitUntil('a batch', () => Promise.resolve(exporter.batches.length > 0));
  exporter.batches[0]?.done({ code: ExportResultCode.SUCCESS });
  await closed;
  expect(counts).toEqual({ exported: 2, failed: 0, dropped: 3 });
});
