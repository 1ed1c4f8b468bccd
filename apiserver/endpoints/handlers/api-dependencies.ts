/** What the handlers of the API are built from. Holds no behaviour. */
import type { KindRow } from '../../../shared/api/kinds';
import type { NamespaceAlias } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import type { Random } from '../../../shared/runtime/random';
import type { Reader, RequestContext, ServedResource, Writer } from '../../registry/verbs';
import type { Resources } from '../../registry/resources';
import type { ResolveHost } from '../../registry/operations/destination';
import type { Operations } from '../../registry/operations/operation';
import type { Views } from '../../registry/operations/views';
import type { Backends } from '../forward/backend';
import type { Exchange } from '../request/exchange';
import type { ExchangeParts } from '../request/exchange';
import type { SelectionBuilder } from '../request/parameters';
import type { Encoders } from '../representation/encoders';
import type { ResourceRequest } from '../request/request-info';
import type { WatchMeter } from '../response/watch-stream';
import type { LiveWatches } from '../response/open-watches';

/** How machines behind objects are reached. */
export interface NodeAccess {
  /** Types of nodes' addresses, the most preferred first. */
  readonly addressTypes: readonly string[];
  readonly resolveHost: ResolveHost;
  readonly backends: Backends;
}

export interface ApiParts extends ExchangeParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly gates: FeatureGates;
  readonly resources: Resources;
  /** The resource at a path, after the replica has caught up with the store. Rejects with StatusError 504. */
  findNewest(context: RequestContext, info: ResourceRequest): Promise<ServedResource | undefined>;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly operations: Operations;
  readonly views: Views;
  readonly select: SelectionBuilder;
  /** Set when a name is the other dialect's for a system namespace. */
  aliasOf(namespace: string): NamespaceAlias | undefined;
  readonly encoders: Encoders;
  readonly nodeAccess: NodeAccess;
  readonly watches: LiveWatches;
  /** Least duration of a watch that names none, in seconds; the most is twice that. */
  readonly minRequestTimeoutSeconds: number;
  /** Counts a long-running request as open. The caller calls the returned function when the request ends. */
  longRunningStarted(exchange: Exchange): () => void;
  /** Somebody asks for a log; `believesAll` = whatever certificate the kubelet shows. */
  logAsked(believesAll: boolean): void;
  readonly logDistrusted: () => void;
  /** Times the state that watches begin with, for those who ask for it as a list. */
  watchListMeter(row: KindRow, info: ResourceRequest): { observe(seconds: number): void };
  /** A request has come for a version that is going away. */
  deprecatedRequested(row: KindRow, removed: string | undefined, subresource: string): void;
  watchMeter(group: string, version: string, kind: string, resource: string): WatchMeter;
}
