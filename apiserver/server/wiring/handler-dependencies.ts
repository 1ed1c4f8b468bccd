/**
 * Composes the dependencies of the API handlers: readers, encoders, meters, and the connections to nodes. The handlers are
 * in endpoints/handlers.
 */
import { scopeOf } from '../../metrics/requests/request-labels';
import { canonicalNamespace, namespaceAlias } from '../../../shared/names/dialect';
import { tableConvertor } from '../../printers/table';
import { Backends } from '../../endpoints/forward/backend';
import { createHostResolver } from '../../endpoints/forward/resolve-host';
import type { ApiDependencies, NodeAccess } from '../../endpoints/handlers/api-dependencies';
import { OpenWatchStreams } from '../../endpoints/response/open-watches';
import { Outbox } from '../../endpoints/output/outbox';
import { Encoders } from '../../endpoints/representation/encoders';
import type { EncodingOffload } from '../../endpoints/representation/encoding-offload';
import type { Writer } from '../../registry/verbs';
import { selectionFor } from '../../registry/read/selection';
import type { Operations } from '../../registry/operations/operation';
import { componentStatusView, createViews } from '../../registry/operations/views';
import type { Observability } from './observability';
import type { KubeletOptions, ServerContext } from './server-options';
import type { ClusterState } from './cluster-state';

/** What the handlers use besides the state of the cluster and its observation. */
export interface HandlerWiring {
  readonly writer: Writer;
  readonly operations: Operations;
  /** Absent when every response is encoded on the server's thread. */
  readonly offload: EncodingOffload | undefined;
}

/** The dependencies of the handlers of a server. Called once. */
export function buildHandlerDependencies(
  context: ServerContext,
  state: ClusterState,
  observability: Observability,
  { writer, operations, offload }: HandlerWiring,
): ApiDependencies {
  const { options, clock, random, names } = context;
  const { resources, reader, gate } = state;
  const { metrics, checkStoreRead, scheduler } = observability;
  const tlsFailures = context.meters.counter('kube_apiserver_pod_logs_backend_tls_failure_total');
  return {
    clock,
    random,
    gates: options.gates,
    resources,
    async findNewest(requestContext, { group, version, resource }) {
      await gate.requireCaughtUp(requestContext);
      return resources.find(group, version, resource);
    },
    reader,
    writer,
    operations,
    views: createViews({ componentstatuses: componentStatusView(checkStoreRead) }, resources.builtInRows),
    aliasOf: (namespace) => namespaceAlias(names, namespace),
    select: (row, labels, fields) => selectionFor(row, labels, fields, (namespace) => canonicalNamespace(names, namespace)),
    encoders: new Encoders({ table: tableConvertor, clock, naming: options.naming, offload }),
    nodeAccess: nodeAccess(context),
    watches: new OpenWatchStreams(),
    outbox: new Outbox(clock, () => scheduler.hasWaitingRequests),
    scheduler,
    minRequestTimeoutSeconds: options.minRequestTimeoutSeconds,
    watchMeter: (group, version, kind, resource) => metrics.watchEvents.meterFor(group, version, kind, resource),
    countLogRequest: (insecureSkipTlsVerify) =>
      context.meters
        .counter('kube_apiserver_pod_logs_insecure_backend_total', insecureSkipTlsVerify ? 'skip_tls_allowed' : 'enforce_tls')
        .add(),
    countLogTlsFailure: () => tlsFailures.add(),
    watchListMeter: ({ group, version, resource }, info) =>
      context.meters.observer('apiserver_watch_list_duration_seconds', group, version, resource, scopeOf(info)),
    countDeprecatedRequest: (row, removed, subresource) => metrics.recordDeprecatedRequest(row, removed, subresource),
    startLongRunning: (exchange) => metrics.requests.startLongRunning(exchange),
  };
}

/** The default of `--kubelet-preferred-address-types`. */
const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
/** Upstream's default of `--kubelet-timeout`. */
const KUBELET_TIMEOUT_MS = 5_000;

function nodeAccess({ options, clock, meters }: ServerContext): NodeAccess {
  const { kubelets = {} }: { readonly kubelets?: Partial<KubeletOptions> } = options;
  const { addressTypes = ADDRESS_TYPES, credentials = () => ({}), timeoutMs = KUBELET_TIMEOUT_MS, resolveHost, limits } = kubelets;
  const rejected = meters.counter('apiserver_backend_rejected_requests_total');
  const connections = {
    kubelet: meters.counter('apiserver_backend_connections', 'kubelet'),
    any: meters.counter('apiserver_backend_connections', 'proxied'),
  };
  return {
    addressTypes,
    resolveHost: resolveHost ?? createHostResolver(clock, timeoutMs),
    backends: new Backends({
      clock,
      credentials,
      timeoutMs,
      ...(limits === undefined ? {} : { limits }),
      meters: {
        addConnections: (trust, by) => connections[trust].add(by),
        countRejected: () => rejected.add(),
      },
    }),
  };
}
