/** What becomes of spans where their receiver takes them, refuses them, or says nothing. */
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import { waitUntil } from '../../test/support/programs';
import { BoundedExport } from './bounded-export';

const LIMITS = { waiting: 8, batch: 4, delayMs: 60_000, timeoutMs: 60_000 };

/** Answers when it is told to. */
class HeldExporter implements SpanExporter {
  readonly batches: { readonly names: readonly string[]; readonly done: (result: ExportResult) => void }[] = [];
  /** Whoever is left has nothing to wait for. */
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

let over: (() => Promise<void>) | undefined;
afterEach(() => over?.());

function opened() {
  const exporter = new HeldExporter();
  const faults: (string | undefined)[] = [];
  const counts = { exported: 0, failed: 0, dropped: 0 };
  const spans = new BoundedExport(exporter, LIMITS, counts, (fault) => void faults.push(fault?.message));
  over = () => {
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

it('drops and counts what is too much while nothing is answered', () => {
  const { exporter, counts, end } = opened();
  end(20);
  expect(exporter.batches.map(({ names }) => names.length)).toEqual([4]);
  expect(counts).toEqual({ exported: 0, failed: 0, dropped: 12 });
});

it('has room again for as many as have been answered', () => {
  const { exporter, counts, end } = opened();
  end(8);
  exporter.batches[0]?.done({ code: ExportResultCode.SUCCESS });
  end(5);
  expect(counts).toEqual({ exported: 4, failed: 0, dropped: 1 });
});

it('counts what is not taken, and tells it once until it is good again', async () => {
  const { exporter, faults, spans, counts, end } = opened();
  const bad = { code: ExportResultCode.FAILED, error: new Error('nobody there') };
  for (const result of [bad, bad, { code: ExportResultCode.SUCCESS }, { code: ExportResultCode.FAILED }]) {
    end(2);
    const flushed = spans.forceFlush().catch(() => undefined);
    exporter.batches.at(-1)?.done(result);
    await flushed;
  }
  expect(counts).toEqual({ exported: 2, failed: 6, dropped: 0 });
  expect(faults).toEqual(['nobody there', undefined, 'the receiver of traces refused them']);
});

it('sends what has ended before the end, and counts what ends later as dropped', async () => {
  const { exporter, spans, counts, end } = opened();
  end(2);
  const closed = spans.shutdown();
  end(3);
  await waitUntil('a batch', () => Promise.resolve(exporter.batches.length > 0));
  exporter.batches[0]?.done({ code: ExportResultCode.SUCCESS });
  await closed;
  expect(counts).toEqual({ exported: 2, failed: 0, dropped: 3 });
});
