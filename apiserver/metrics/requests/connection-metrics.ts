/**
 * Metrics of the connections of clients: those that are open, and those refused because of a limit. The listener
 * counts; the counts are read at scrape time. Connections to kubelets and webhooks are not included.
 */
import { Counter, Gauge, type Registry } from 'prom-client';

/** The present number of client connections, and refusals since the start. */
export interface ConnectionCounts {
  readonly open: number;
  /** By the limit that was reached. */
  readonly refused: Readonly<Record<'total' | 'address', number>>;
}

/** Registers the metrics; called once per registry. */
export function publishConnections(registry: Registry, counts: ConnectionCounts): void {
  const registers = [registry];
  new Gauge({
    name: 'apiserver_open_connections',
    help: 'Open client connections.',
    registers,
    collect() {
      this.set(counts.open);
    },
  });
  new Counter({
    name: 'apiserver_refused_connections_total',
    help: 'Client connections that were closed on arrival, by the limit that was reached.',
    labelNames: ['cap'],
    registers,
    collect() {
      this.reset();
      for (const [cap, count] of Object.entries(counts.refused)) this.inc({ cap }, count);
    },
  });
}
