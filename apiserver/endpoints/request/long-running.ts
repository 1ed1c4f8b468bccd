/**
 * The table of long-running requests. Deadlines, flow control, metrics, the audit log and graceful shutdown all use
 * it. Decides by the request info alone, whether or not the resource exists.
 */
import type { PathRequest, RequestInfo, ResourceRequest } from './request-info';

/** How a long-running request is treated. It has no deadline, and graceful shutdown does not wait for it. */
export interface LongRunning {
  /**
   * Seats of its priority level: `start` holds them until the initial state has been sent; `none` takes none and is
   * never queued.
   */
  readonly seats: 'start' | 'none';
}

const WATCH: LongRunning = { seats: 'start' };
const CONNECTION: LongRunning = { seats: 'none' };

/** Takes precedence over the subresource: a watch of a subresource is a watch. */
const BY_VERB: Readonly<Partial<Record<ResourceRequest['verb'], LongRunning>>> = { watch: WATCH, proxy: CONNECTION };

/** Applies to every resource, including those of aggregated API servers. */
const BY_SUBRESOURCE: ReadonlyMap<string, LongRunning> = new Map(
  ['attach', 'exec', 'log', 'portforward', 'proxy'].map((subresource) => [subresource, CONNECTION]),
);

const BY_PATH_PREFIX: readonly { readonly prefix: PathRequest['path']; readonly longRunning: LongRunning }[] = [
  { prefix: '/debug/pprof/', longRunning: CONNECTION },
];

/** `undefined` when the response must be complete within the request's deadline. */
export function longRunning(info: RequestInfo): LongRunning | undefined {
  if (info.kind === 'path') return BY_PATH_PREFIX.find(({ prefix }) => info.path.startsWith(prefix))?.longRunning;
  return BY_VERB[info.verb] ?? BY_SUBRESOURCE.get(info.subresource);
}
