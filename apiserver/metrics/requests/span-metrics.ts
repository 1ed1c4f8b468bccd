/** The metric of trace spans by outcome. The exporter of spans counts; the counts are read at scrape time. */
import { Counter, type Registry } from 'prom-client';
import type { SpanCounts } from '../../tracing/span';

const OUTCOMES = ['exported', 'failed', 'dropped'] as const;

/** `counts` is undefined when tracing is off; then nothing is published. */
export function publishSpans(registry: Registry, counts: SpanCounts | undefined): void {
  if (counts === undefined) return;
  new Counter({
    name: 'apiserver_tracing_spans_total',
    help: 'Trace spans by outcome: exported, failed (the receiver did not accept them) or dropped (the queue was full).',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const outcome of OUTCOMES) this.inc({ outcome }, counts[outcome]);
    },
  });
}
