/**
 * A replica without HTTP: a real cache and a writer over a store that several replicas may share. The caller creates
 * the namespace `default`.
 */
import { createDefaultAdmission } from '../../../apiserver/admission/plugins/default-admission';
import { QUOTA_GUARD_PREFIX, QuotaGuards } from '../../../apiserver/admission/plugins/quota/quota-guards';
import { ALLOCATIONS, type ServiceAllocator } from '../../../apiserver/allocation/service-allocator';
import type { OpenedCache } from '../../../apiserver/cache/sync/open-cache';
import { REPLICAS, Replicas } from '../../../apiserver/reconcilers/replicas/replicas';
import type { RequestContext, Writer } from '../../../apiserver/registry/verbs';
import { buildResources, type Resources } from '../../../apiserver/registry/resources';
import { createWriter } from '../../../apiserver/registry/write/executor/writer';
import type { Store } from '../../../apiserver/storage/store';
import type { JsonObject } from '../../../shared/values/json';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { featureGates } from '../../../shared/cli/feature-gates';
import { systemRandom } from '../../../shared/runtime/random';
import { NON_MUTATING_PLUGINS } from '../objects/non-mutating-plugins';
import { openTestCache } from './test-cache';
import { PREFIX, testAllocator, writerSettings } from './write-fixture';

export interface Replica<C extends Clock = Clock> {
  readonly clock: C;
  readonly cache: OpenedCache;
  readonly writer: Writer;
  readonly allocator: ServiceAllocator;
  readonly replicas: Replicas;
  readonly resources: Resources;
  /** Messages of failed background tasks. */
  readonly failures: string[];
  /** The context of one request of an administrator, with a deadline in a minute. */
  context(): RequestContext;
  /** `resource` as in {@link Resources.require}, such as `services`. Creates a namespaced object in `default`, or a cluster-scoped one. */
  create(resource: string, value: JsonObject): Promise<JsonObject>;
  /** Deletes an object that {@link create} has created. */
  remove(resource: string, name: string): Promise<void>;
}

const NAMES = GENERATED_NAMES.platform;
const WRITE_OPTIONS = { dryRun: false, fieldValidation: 'Strict', fieldManager: 'test' } as const;

/** Resolves when the cache is ready. `ranges`: the ranges of Service addresses and of node ports. */
export async function openReplica<C extends Clock>(
  store: Store,
  clock: C,
  ranges: { readonly ranges?: string; readonly nodePorts?: string } = {},
): Promise<Replica<C>> {
  const resources = buildResources();
  const failures: string[] = [];
  const cache = openTestCache({ store, types: resources.storedTypes, clock });
  const allocator = testAllocator(systemRandom, NAMES, ranges);
  cache.addKeyListener(ALLOCATIONS, allocator);
  const guards = new QuotaGuards(PREFIX, clock);
  cache.addKeyListener(QUOTA_GUARD_PREFIX, guards);
  const replicas = new Replicas({ store, prefix: PREFIX, clock, onFailure: (message) => void failures.push(message) });
  cache.addKeyListener(REPLICAS, replicas);
  await cache.whenReady();
  const writer = writerOver({ store, cache, resources, allocator, guards, clock });
  const context = (): RequestContext => ({
    user: { name: 'tester', groups: ['system:masters'] },
    deadline: clock.monotonic() + 60_000,
    warn: () => undefined,
  });
  const namespaceOf = (resource: string): string => (resources.require(resource).row.namespaced ? 'default' : '');
  return {
    clock,
    cache,
    writer,
    allocator,
    replicas,
    resources,
    failures,
    context,
    async create(resource, value) {
      const body = { value, duplicates: [], format: 'json' } as const;
      const { entry } = await writer.create(context(), resources.require(resource), namespaceOf(resource), body, WRITE_OPTIONS);
      const object: JsonObject = JSON.parse(entry.bytes.toString());
      return object;
    },
    async remove(resource, name) {
      await writer.delete(context(), resources.require(resource), { namespace: namespaceOf(resource), name }, { dryRun: false });
    },
  };
}

type WriterParts = Pick<Replica, 'cache' | 'resources' | 'allocator' | 'clock'> & { readonly store: Store; readonly guards: QuotaGuards };

function writerOver({ store, cache, resources, allocator, guards, clock }: WriterParts): Writer {
  const quotas = { cache, guards };
  return createWriter({
    store,
    cache,
    reader: { list: () => Promise.reject(new Error('no list')) },
    admission: createDefaultAdmission({ names: NAMES, random: systemRandom, cache, resources, clock, quotas }, NON_MUTATING_PLUGINS),
    clock,
    random: systemRandom,
    names: NAMES,
    allocator,
    ...writerSettings(resources),
    gates: featureGates(),
  });
}
