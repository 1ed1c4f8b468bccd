/**
 * The startup steps that concern the other replicas of the server: the Lease that identifies this one, and the
 * removal and observation of the Leases of the others. No request waits for them.
 */
import { hostname } from 'node:os';
import {
  startIdentityLeaseCollector,
  identityOf,
  startIdentityLeaseReconciler,
  type IdentityLeasesOptions,
} from '../../reconcilers/replicas/identity-leases';
import { startPeerChecks } from '../../reconcilers/replicas/peer-checks';
import type { Writer } from '../../registry/verbs';
import { inBackground, type RunningStep, type StartupStep } from '../startup-sequence';
import type { ClusterState } from './cluster-state';
import { commonSettings } from './common-settings';
import type { ServerContext } from './server-options';

/** `port` is the one that this replica publishes in its Lease. */
export function replicaSteps(
  context: ServerContext,
  { cache, resources }: ClusterState,
  writer: Writer,
  port: number,
): readonly StartupStep[] {
  const { options, clock, random, names, onFailure, worker } = context;
  const identity: IdentityLeasesOptions = {
    writer,
    cache,
    clock,
    onFailure,
    leases: resources.require('leases.coordination.platform.io'),
    names,
    random,
    hostname: hostname(),
    port,
    worker: worker?.number ?? 1,
    settings: () => commonSettings(options),
  };
  return [
    {
      name: 'identity Lease of this server',
      checks: ['poststarthook/start-kube-apiserver-identity-lease-controller'],
      start: () => inBackground(startIdentityLeaseReconciler(identity)),
    },
    {
      name: 'identity Leases of other servers',
      checks: ['poststarthook/start-kube-apiserver-identity-lease-garbage-collector'],
      start: () => inBackground(startIdentityLeaseCollector(identity)),
    },
    { name: 'clocks and settings of other servers', start: () => startPeerComparison(context, identity, cache) },
  ];
}

/** Compares the clocks and settings of other replicas with those of this one, for warnings and metrics only. */
function startPeerComparison(
  { logger, meters }: ServerContext,
  identity: IdentityLeasesOptions,
  cache: ClusterState['cache'],
): RunningStep {
  const offset = meters.counter('apiserver_peer_clock_offset_seconds');
  const differing = meters.counter('apiserver_peers_with_other_settings');
  const following = startPeerChecks({
    ...identity,
    cache,
    ownLeaseName: identityOf(identity),
    onFinding: (message, fields) => logger.warn(message, fields),
    onCounts(seconds, count) {
      offset.value = seconds;
      differing.value = count;
    },
  });
  return { stop: () => following.stop() };
}
