/** Open connections, and connections refused because of a limit. Collected at scrape time. */
import { Counter, Gauge, type Registry } from 'prom-client';

export interface ConnectionCounts {
  readonly open: number;
  /** By the limit that was reached. */
  readonly refused: Readonly<Record<'total' | 'address', number>>;
}

export function publishConnections(registry: Registry, counts: ConnectionCounts): void {
  const registers = [registry];
  new Gauge({
    name: 'apiserver_open_connections',
    help: 'Connections of clients that are open.',
    registers,
    collect() {
      this.set(counts.open);
    },
  });
  new Counter({
    name: 'apiserver_refused_connections_total',
    help: 'Connections that were closed at once, by the cap that was reached.',
    labelNames: ['cap'],
    registers,
    collect() {
      this.reset();
      for (const [cap, count] of Object.entries(counts.refused)) this.inc({ cap }, count);
    },
  });
}
