/** The dependencies of the API handlers, which the wiring of the server provides. Interfaces only. */
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
import type { Exchange, ExchangeDependencies } from '../request/exchange';
import type { SelectionBuilder } from '../request/parameters';
import type { Encoders } from '../representation/encoders';
import type { ResourceRequest } from '../request/request-info';
import type { WatchMeter } from '../response/watch-stream';
import type { OpenWatchStreams } from '../response/open-watches';

/** How the backends behind objects (kubelets, pods, Services) are reached. */
export interface NodeAccess {
  /** Types of node addresses in order of preference. */
  readonly addressTypes: readonly string[];
  /** Resolves the host name of a node; no addresses when it does not resolve. */
  readonly resolveHost: ResolveHost;
  /** The connections to kubelets, pods, Services and nodes. */
  readonly backends: Backends;
}

/** What the handlers of API requests use. One object for all requests; nothing in it belongs to a single request. */
export interface ApiDependencies extends ExchangeDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly gates: FeatureGates;
  /** The resources that this replica serves now. */
  readonly resources: Resources;
  /** The resource at a path, after the replica has caught up with the store. Rejects with StatusError 504. */
  findNewest(context: RequestContext, info: ResourceRequest): Promise<ServedResource | undefined>;
  /** Get, list and watch of stored objects. */
  readonly reader: Reader;
  /** Create, update, patch and delete of stored objects. */
  readonly writer: Writer;
  /** Subresources and reviews that are not stored. */
  readonly operations: Operations;
  /** Reads of resources that are computed and not stored. */
  readonly views: Views;
  /** Parses the selectors of a request. */
  readonly select: SelectionBuilder;
  /** The alias of a system namespace in the other dialect; `undefined` for other names. */
  aliasOf(namespace: string): NamespaceAlias | undefined;
  /** The encoders of all kinds and representations. */
  readonly encoders: Encoders;
  readonly nodeAccess: NodeAccess;
  /** The open watches, which a shutdown ends. */
  readonly watches: OpenWatchStreams;
  /** Minimum duration of a watch without a time-out, in seconds; the maximum is twice that. */
  readonly minRequestTimeoutSeconds: number;
  /** Counts a long-running request as open. The caller calls the returned function when the request ends. */
  startLongRunning(exchange: Exchange): () => void;
  /** Counts a request for a log, by whether the client has disabled verification of the kubelet's certificate. */
  countLogRequest(insecureSkipTlsVerify: boolean): void;
  /** Counts a request for a log that failed because the kubelet's certificate could not be verified. */
  readonly countLogTlsFailure: () => void;
  /** Times the initial state of watches that request it as a list. */
  watchListMeter(row: KindRow, info: ResourceRequest): { observe(seconds: number): void };
  /** Counts a request for a deprecated version. */
  countDeprecatedRequest(row: KindRow, removed: string | undefined, subresource: string): void;
  /** The counters of the watch events of a kind. Called once per watch. */
  watchMeter(group: string, version: string, kind: string, resource: string): WatchMeter;
}
