/**
 * Maps kinds to the resources that serve them, from discovery. Discovery is requested again for an unknown kind, but
 * not more often than once per interval.
 */
import { discoverResources, type DiscoveredResources, type ServedResource } from '../../shared/client/rest/discovery';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { Clock } from '../../shared/runtime/clock';

/** The resource of a kind, or why there is none. */
export type ServedKindResult =
  | { readonly type: 'served'; readonly resource: ServedResource }
  | { readonly type: 'unknown' }
  /** Unknown at the latest discovery, which is too recent to be repeated. The kind may have been added since. */
  | { readonly type: 'maybe-added' };

/** Looks up kinds; concurrent callers share a request of discovery. */
export class ServedKinds {
  /** `at`: when it was requested, in milliseconds of the monotonic clock. */
  private latest: { readonly at: number; readonly discovery: Promise<DiscoveredResources> } | undefined;

  constructor(
    private readonly context: { readonly client: RestClient; readonly clock: Clock; readonly signal: AbortSignal },
    /** The shortest time between two requests of discovery. */
    private readonly minIntervalMs: number,
  ) {}

  /**
   * `group`: in canonical spelling. Returns the resource in the version that the server prefers. Rejects when discovery
   * fails; the next call then requests it again at once.
   */
  async find(group: string, kind: string): Promise<ServedKindResult> {
    const { client, clock, signal } = this.context;
    const findIn = ({ resources }: DiscoveredResources): ServedKindResult => {
      const resource = resources.find((candidate) => candidate.group === group && candidate.kind === kind);
      return resource === undefined ? { type: 'unknown' } : { type: 'served', resource };
    };
    const cached = this.latest === undefined ? undefined : findIn(await this.latest.discovery);
    if (cached?.type === 'served') return cached;
    const at = clock.monotonic();
    if (this.latest !== undefined && at - this.latest.at < this.minIntervalMs) return { type: 'maybe-added' };
    const discovery = discoverResources(client, { signal });
    this.latest = { at, discovery };
    discovery.catch(() => (this.latest = undefined));
    return findIn(await discovery);
  }
}
