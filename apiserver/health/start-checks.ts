/**
 * Health checks of the start-up of the server: upstream's names, in upstream's order, for the steps that this server
 * has. A check fails until its step is complete. wiring/startup-steps.ts maps the names to its steps.
 */
import type { HealthCheck } from '../../shared/runtime/health';

/** In the order in which responses list them. */
export const START_CHECKS = [
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/max-in-flight-filter',
  'poststarthook/storage-object-count-tracker-hook',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
  'poststarthook/start-legacy-token-tracking-controller',
  'poststarthook/start-service-ip-repair-controllers',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/priority-and-fairness-config-producer',
  'poststarthook/bootstrap-controller',
  'poststarthook/start-kube-aggregator-informers',
  'poststarthook/apiservice-status-local-available-controller',
  'poststarthook/apiservice-status-remote-available-controller',
  'poststarthook/apiservice-registration-controller',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/kube-apiserver-autoregistration',
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
] as const;

/** A start step, by the name of its check. */
export type StartCheck = (typeof START_CHECKS)[number];

const START_CHECK_NAMES: ReadonlySet<string> = new Set(START_CHECKS);

/** Whether the name is that of a start step, not of another health check. */
export const isStartCheck = (name: string): boolean => START_CHECK_NAMES.has(name);

/**
 * Returns a check for each start step except those of `neverStarted`, which this server does not run with its
 * configuration. `started` holds the complete steps; the caller adds to it while the server starts.
 */
export function createStartChecks(started: ReadonlySet<StartCheck>, neverStarted: ReadonlySet<StartCheck>): readonly HealthCheck[] {
  return START_CHECKS.filter((name) => !neverStarted.has(name)).map((name) => ({
    name,
    isStartup: true,
    check: () => (started.has(name) ? undefined : 'not finished'),
  }));
}
