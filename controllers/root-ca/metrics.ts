/** Metrics of the root CA publisher, under upstream's names. */
import { ApiError } from '../../shared/client/rest/api-error';
import type { ControllerContext } from '../runtime/controller';

/** Upstream's buckets in seconds: from 0.001, each twice the previous one. */
const BUCKETS = Array.from({ length: 15 }, (_, power) => 2 ** power / 1000);

/** Returns a function that runs the sync of a namespace, and counts it by the HTTP code of its outcome. */
export function syncObserver({
  metrics,
  clock,
}: Pick<ControllerContext, 'metrics' | 'clock'>): (sync: () => Promise<void>) => Promise<void> {
  const count = metrics.counter('root_ca_cert_publisher_sync_total', 'Number of namespace syncs, by HTTP code.', ['code']);
  const seconds = metrics.histogram(
    'root_ca_cert_publisher_sync_duration_seconds',
    'Duration of a namespace sync, by HTTP code.',
    BUCKETS,
    ['code'],
  );
  return async (sync) => {
    const started = clock.monotonic();
    let code = '200';
    try {
      await sync();
    } catch (error) {
      code = error instanceof ApiError ? String(error.code) : '500';
      throw error;
    } finally {
      count({ code });
      seconds((clock.monotonic() - started) / 1000, { code });
    }
  };
}
