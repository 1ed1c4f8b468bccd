/** Where the objects of a kind are, by what the server says that it serves: asked when a kind is looked for that is not known, and not more often than it is told to. Changes nothing. */
import { discover, type Discovered, type ServedResource } from '../../shared/client/rest/discovery';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { Clock } from '../../shared/runtime/clock';

export type FoundKind =
  | { readonly type: 'served'; readonly resource: ServedResource }
  | { readonly type: 'unknown' }
  /** Not known, but it may have come since the server was last asked. */
  | { readonly type: 'unsettled' };

export class ServedKinds {
  private discovery: { readonly at: number; readonly found: Promise<Discovered> } | undefined;

  constructor(
    private readonly context: { readonly client: RestClient; readonly clock: Clock; readonly signal: AbortSignal },
    private readonly everyMs: number,
  ) {}

  /** By the group in canonical spelling, in the version that the server prefers. */
  async find(group: string, kind: string): Promise<FoundKind> {
    const { client, clock, signal } = this.context;
    const find = ({ resources }: Discovered): FoundKind => {
      const resource = resources.find((one) => one.group === group && one.kind === kind);
      return resource === undefined ? { type: 'unknown' } : { type: 'served', resource };
    };
    const known = this.discovery === undefined ? undefined : find(await this.discovery.found);
    if (known?.type === 'served') return known;
    const at = clock.monotonic();
    if (this.discovery !== undefined && at - this.discovery.at < this.everyMs) return { type: 'unsettled' };
    const found = discover(client, { signal });
    this.discovery = { at, found };
    found.catch(() => (this.discovery = undefined));
    return find(await found);
  }
}
