/** Traces: what has become of their spans; read when someone scrapes. */
import { Counter, type Registry } from 'prom-client';
import type { SpanCounts } from '../tracing/span';

const OUTCOMES = ['exported', 'failed', 'dropped'] as const;

/** Undefined counts = no traces are kept, and nothing is shown. */
export function publishSpans(registry: Registry, counts: SpanCounts | undefined): void {
  if (counts === undefined) return;
  new Counter({
    name: 'apiserver_tracing_spans_total',
    help: 'Spans of traces: exported = the receiver has taken them, failed = it has not, dropped = too many were waiting.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const outcome of OUTCOMES) this.inc({ outcome }, counts[outcome]);
    },
  });
}
