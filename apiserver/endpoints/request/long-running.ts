/**
 * The table of long-running requests: deadlines, flow control, metrics, the audit log and the wait at shutdown all decide by it, and by nothing else. Knows request
 * infos only, never whether the resource exists.
 */
import type { PathRequest, RequestInfo, ResourceRequest } from './request-info';

/** What sets a request apart from those that are answered at once: it has no deadline, and shutdown does not wait for it. */
export interface LongRunning {
  /** Seats of its priority level: `start` = until its initial state has been sent; `none` = it takes none and never queues. */
  readonly seats: 'start' | 'none';
}

const WATCH: LongRunning = { seats: 'start' };
const CONNECTION: LongRunning = { seats: 'none' };

/** Looked at before the subresource: a watch of a subresource is a watch. */
const BY_VERB: Readonly<Partial<Record<ResourceRequest['verb'], LongRunning>>> = { watch: WATCH, proxy: CONNECTION };

/** Of any resource, those of aggregated API servers too. */
const BY_SUBRESOURCE: ReadonlyMap<string, LongRunning> = new Map(
  ['attach', 'exec', 'log', 'portforward', 'proxy'].map((subresource) => [subresource, CONNECTION]),
);

const BY_PATH_PREFIX: readonly (readonly [prefix: PathRequest['path'], LongRunning])[] = [['/debug/pprof/', CONNECTION]];

/** `undefined` when the request is to be answered within its deadline. */
export function longRunning(info: RequestInfo): LongRunning | undefined {
  if (info.kind === 'path') return BY_PATH_PREFIX.find(([prefix]) => info.path.startsWith(prefix))?.[1];
  return BY_VERB[info.verb] ?? BY_SUBRESOURCE.get(info.subresource);
}
