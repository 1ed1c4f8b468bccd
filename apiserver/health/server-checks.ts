/**
 * The health checks of an API server: in upstream's order the store, the cache and the start steps, then the checks of
 * this server alone (space in etcd, configuration files), and the shutdown. A check returns the reason of its failure,
 * or undefined. Which endpoint includes which check is stated here; the responses are left to `HealthChecks`.
 */
import type { Clock } from '../../shared/runtime/clock';
import type { OpenedCache } from '../cache/sync/open-cache';
import type { Store, StoreCallOptions } from '../storage/store';
import type { HealthCheck } from '../../shared/runtime/health';
import { errorMessage } from '../../shared/runtime/error-message';
import { createStartChecks, type StartCheck } from './start-checks';

/** Checks that call something resolve with the reason of their failure, or with undefined; they do not reject. */
export interface ServerCheckOptions {
  /** Fails when the store does not respond. */
  readonly checkStoreRead: () => Promise<string | undefined>;
  /** Fails when the store accepts no writes. */
  readonly checkStoreWrite: () => Promise<string | undefined>;
  /** Fails while etcd refuses writes because it is full. */
  readonly checkStoreSpace: () => Promise<string | undefined>;
  readonly cache: Pick<OpenedCache, 'isReady' | 'problems'>;
  readonly state: { readonly isStopping: boolean; readonly started: ReadonlySet<StartCheck> };
  /** Start steps that this server does not run. */
  readonly neverStarted: ReadonlySet<StartCheck>;
  /** The error of the KMS plug-ins; undefined when none are configured. */
  readonly checkKmsProviders?: (() => Promise<string | undefined>) | undefined;
  /** The configuration files in use, with the error of their current content. */
  readonly configurations: readonly { readonly name: string; readonly error: string | undefined }[];
}

/** Milliseconds; upstream's default of `--etcd-healthcheck-timeout`. */
const STORE_TIMEOUT_MS = 2000;
/** Checks within this time share one call of the store. */
const STORE_SHARED_MS = 500;

/** Without livez: a restart does not make KMS plug-ins available. */
const KMS_CHECK_ENDPOINTS = ['healthz', 'readyz'] as const;

/** The checks of `/livez`, `/readyz` and `/healthz`, in the order in which they are listed. */
export function createServerChecks(options: ServerCheckOptions): readonly HealthCheck[] {
  const { checkStoreRead, checkStoreWrite, checkStoreSpace, cache, state, neverStarted, configurations, checkKmsProviders } = options;
  return [
    { name: 'ping', check: () => undefined },
    { name: 'log', check: () => undefined },
    { name: 'etcd', check: checkStoreRead },
    { name: 'etcd-readiness', onlyOn: 'readyz', check: checkStoreWrite },
    ...(checkKmsProviders === undefined
      ? []
      : KMS_CHECK_ENDPOINTS.map((onlyOn): HealthCheck => ({ name: 'kms-providers', onlyOn, check: checkKmsProviders }))),
    {
      name: 'informer-sync',
      onlyOn: 'readyz',
      check: () => (cache.isReady ? cache.problems()[0] : 'the cache has not loaded its state yet'),
    },
    ...createStartChecks(state.started, neverStarted),
    // All replicas share a full etcd: without any of them, objects could not be deleted to free space.
    { name: 'etcd-space', onlyOn: 'readyz', isAdvisory: true, isListedOnFailureOnly: true, check: checkStoreSpace },
    ...configurations.map((file): HealthCheck => ({
      name: `configuration/${file.name}`,
      onlyOn: 'readyz',
      isAdvisory: true,
      check: () => file.error,
    })),
    { name: 'shutdown', onlyOn: 'readyz', check: () => (state.isStopping ? 'process is shutting down' : undefined) },
  ];
}

/**
 * Returns a check that calls `request` and reports its error; undefined when it succeeds. Checks within
 * `STORE_SHARED_MS` share one call.
 */
export function createSharedCheck(
  request: (options: StoreCallOptions) => Promise<unknown>,
  clock: Clock,
): () => Promise<string | undefined> {
  return shareCall(async (options) => {
    try {
      await request(options);
      return undefined;
    } catch (error) {
      return `error getting data from etcd: ${errorMessage(error)}`;
    }
  }, clock);
}

/**
 * Returns a check of the alarm that etcd raises when it is full. Asks etcd only while writes are refused for that reason.
 * The other checks report a store that does not respond.
 */
export function createSpaceCheck(
  store: Pick<Store, 'status'>,
  isStoreFull: () => boolean,
  clock: Clock,
): () => Promise<string | undefined> {
  const readSpaceError = shareCall(async (options) => (await store.status(options).catch(() => undefined))?.spaceError, clock);
  return async () => (isStoreFull() ? readSpaceError() : undefined);
}

/** Calls within `STORE_SHARED_MS` of the last one get its result, also while it is pending. */
function shareCall(call: (options: StoreCallOptions) => Promise<string | undefined>, clock: Clock): () => Promise<string | undefined> {
  let last: { readonly at: number; readonly result: Promise<string | undefined> } | undefined;
  return () => {
    const now = clock.monotonic();
    if (last === undefined || now - last.at > STORE_SHARED_MS) {
      last = { at: now, result: call({ deadline: now + STORE_TIMEOUT_MS }) };
    }
    return last.result;
  };
}
