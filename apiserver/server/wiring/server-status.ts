/**
 * Collects what `/statusz` shows from the parts of a running server. Formatting is left to
 * `routes/diagnostic-pages.ts`.
 */
import { X509Certificate } from 'node:crypto';
import type { TlsFiles } from '../connections/listeners';
import type { ServerStatus } from '../routes/diagnostic-pages';
import type { ClusterState } from './cluster-state';
import type { Observability } from './observability';
import type { ServerContext } from './server-options';

/** How long the page waits for a store that does not respond. */
const STATUS_MS = 2_000;

/**
 * Returns a function that collects the status at the time of its call. It does not reject: when the store does not
 * respond in time, `store` is `undefined`.
 */
export function createStatusCollector(
  { store, clock }: ServerContext,
  { cache, replicas }: ClusterState,
  { inFlight, connections }: Observability,
  tls: () => TlsFiles,
): () => Promise<ServerStatus> {
  const startedAt = clock.now();
  return async () => {
    const { rss, heapUsed } = process.memoryUsage();
    const { statistics } = cache;
    return {
      now: clock.now(),
      startedAt,
      runtime: `Node.js ${process.version} ${process.platform}/${process.arch}`,
      problems: cache.problems(),
      replicas: replicas.addresses,
      store: await store.status({ deadline: clock.monotonic() + STATUS_MS }).catch(() => undefined),
      revision: cache.revision,
      eventWindow: { events: statistics.windowEvents, bytes: statistics.windowBytes },
      types: cache.storedTypes().map((type) => ({
        name: type.name,
        objects: cache.count(type),
        watches: statistics.watchers.get(type.name) ?? 0,
      })),
      requests: { readOnly: inFlight.readOnly, mutating: inFlight.mutating },
      connections: connections.open,
      memory: { resident: rss, heap: heapUsed },
      servingCertificateExpiry: Date.parse(new X509Certificate(tls().cert).validTo),
    };
  };
}
