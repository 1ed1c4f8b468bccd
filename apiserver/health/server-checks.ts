/** The health checks of an API server, in upstream's order. Only those that have something to look at. */
import type { Clock } from '../../shared/runtime/clock';
import type { OpenedCache } from '../cache/sync/open-cache';
import type { StoreCallOptions } from '../storage/store';
import type { HealthCheck } from '../../shared/runtime/health';
import { errorMessage } from '../../shared/runtime/error-message';
import { startChecks, type StartCheck } from './start-checks';

export interface CheckedParts {
  /** See {@link sharedCheck}: whether the store answers, and whether it takes writes. */
  readonly storeAnswers: () => Promise<string | undefined>;
  readonly storeTakesWrites: () => Promise<string | undefined>;
  readonly cache: Pick<OpenedCache, 'ready' | 'problems'>;
  readonly state: { readonly stopping: boolean; readonly started: ReadonlySet<StartCheck> };
  /** What is no part of the start of this server. */
  readonly neverStarted: ReadonlySet<StartCheck>;
  /** What is wrong with the services that keep keys of encryption; undefined = there are none. */
  readonly keyServices?: (() => Promise<string | undefined>) | undefined;
  /** The configuration files in use, and what is wrong with how they stand now. */
  readonly configurations: readonly { readonly name: string; readonly fault: string | undefined }[];
}

const STORE_TIMEOUT_MS = 2000;
/** Answers within this time share one look at the store. */
const STORE_SHARED_MS = 500;

/** A server whose keys are away is not to be restarted. */
const KEY_SERVICE_ENDPOINTS = ['healthz', 'readyz'] as const;

export function serverChecks(parts: CheckedParts): readonly HealthCheck[] {
  const { storeAnswers, storeTakesWrites, cache, state, neverStarted, configurations, keyServices } = parts;
  return [
    { name: 'ping', check: () => undefined },
    { name: 'log', check: () => undefined },
    { name: 'etcd', check: storeAnswers },
    { name: 'etcd-readiness', onlyOn: 'readyz', check: storeTakesWrites },
    ...(keyServices === undefined
      ? []
      : KEY_SERVICE_ENDPOINTS.map((onlyOn): HealthCheck => ({ name: 'kms-providers', onlyOn, check: keyServices }))),
    {
      name: 'informer-sync',
      onlyOn: 'readyz',
      check: () => (cache.ready ? cache.problems()[0] : 'the cache has not loaded its state yet'),
    },
    ...startChecks(state.started, neverStarted),
    ...configurations.map((file): HealthCheck => ({
      name: `configuration/${file.name}`,
      onlyOn: 'readyz',
      isAdvisory: true,
      check: () => file.fault,
    })),
    { name: 'shutdown', onlyOn: 'readyz', check: () => (state.stopping ? 'process is shutting down' : undefined) },
  ];
}

/** What a question to the store brings to light; undefined = nothing is wrong. Those who ask at about the same time share one question. */
export function sharedCheck(ask: (options: StoreCallOptions) => Promise<unknown>, clock: Clock): () => Promise<string | undefined> {
  let last: { readonly at: number; readonly result: Promise<string | undefined> } | undefined;
  return () => {
    const now = clock.monotonic();
    if (last === undefined || now - last.at > STORE_SHARED_MS) {
      const result = ask({ deadline: now + STORE_TIMEOUT_MS }).then(
        () => undefined,
        (error: unknown) => `error getting data from etcd: ${errorMessage(error)}`,
      );
      last = { at: now, result };
    }
    return last.result;
  };
}
