/** Export of spans to a receiver that accepts or rejects them, or does not respond. */
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import { waitUntil } from '../../test/support/programs';
import { BoundedSpanProcessor } from './bounded-span-processor';

const LIMITS = { maxQueueSize: 8, maxBatchSize: 4, delayMs: 60_000, timeoutMs: 60_000 };

/** An exporter that responds when the test calls `done`. */
class HeldExporter implements SpanExporter {
  readonly batches: { readonly names: readonly string[]; readonly done: (result: ExportResult) => void }[] = [];
  /** After the test: respond immediately. */
  isOver = false;

  export(spans: Parameters<SpanExporter['export']>[0], done: (result: ExportResult) => void): void {
    if (this.isOver) {
      done({ code: ExportResultCode.SUCCESS });
      return;
    }
    this.batches.push({ names: spans.map(({ name }) => name), done });
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

let shutDownTest: (() => Promise<void>) | undefined;
afterEach(() => shutDownTest?.());

function createFixture() {
  const exporter = new HeldExporter();
  const faults: (string | undefined)[] = [];
  const counts = { exported: 0, failed: 0, dropped: 0 };
  const spans = new BoundedSpanProcessor(exporter, LIMITS, counts, (fault) => void faults.push(fault?.message));
  shutDownTest = () => {
    exporter.isOver = true;
    for (const { done } of exporter.batches) done({ code: ExportResultCode.SUCCESS });
    return spans.shutdown();
  };
  const tracer = new TracerProvider({ spanProcessors: [spans] }).getTracer('test');
  const end = (count: number): void => {
    for (let at = 0; at < count; at += 1) tracer.startSpan(`span ${at}`, {}, ROOT_CONTEXT).end();
  };
  return { exporter, faults, spans, counts, end };
}

it('BoundedSpanProcessor drops and counts spans over the limit while no batch completes', () => {
  const { exporter, counts, end } = createFixture();
  end(20);
  expect(exporter.batches.map(({ names }) => names.length)).toEqual([4]);
  expect(counts).toEqual({ exported: 0, failed: 0, dropped: 12 });
});

it('BoundedSpanProcessor accepts as many further spans as have been exported', () => {
  const { exporter, counts, end } = createFixture();
  end(8);
  exporter.batches[0]?.done({ code: ExportResultCode.SUCCESS });
  end(5);
  expect(counts).toEqual({ exported: 4, failed: 0, dropped: 1 });
});

it('BoundedSpanProcessor counts failed spans, and reports a fault once until an export succeeds', async () => {
  const { exporter, faults, spans, counts, end } = createFixture();
  const failure = { code: ExportResultCode.FAILED, error: new Error('nobody there') };
  for (const result of [failure, failure, { code: ExportResultCode.SUCCESS }, { code: ExportResultCode.FAILED }]) {
    end(2);
    const flushed = spans.forceFlush().catch(() => undefined);
    exporter.batches.at(-1)?.done(result);
    await flushed;
  }
  expect(counts).toEqual({ exported: 2, failed: 6, dropped: 0 });
  expect(faults).toEqual(['nobody there', undefined, 'the receiver of traces rejected them']);
});

it('BoundedSpanProcessor exports spans that end before shutdown, and drops later ones', async () => {
  const { exporter, spans, counts, end } = createFixture();
  end(2);
  const closed = spans.shutdown();
  end(3);
  await waitUntil('a batch', () => Promise.resolve(exporter.batches.length > 0));
  exporter.batches[0]?.done({ code: ExportResultCode.SUCCESS });
  await closed;
  expect(counts).toEqual({ exported: 2, failed: 0, dropped: 3 });
});
