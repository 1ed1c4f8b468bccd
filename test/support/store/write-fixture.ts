/**
 * A writer over an in-memory store, with a manual clock and deterministic random values, and short functions to call
 * it.
 */
import { NO_CONVERSIONS } from '../../../apiserver/registry/conversions';
import { ServiceAllocator } from '../../../apiserver/allocation/service-allocator';
import { parsePortRange, parseServiceRanges } from '../../../apiserver/allocation/ranges';
import { createDefaultAdmission, createWorkerAdmission } from '../../../apiserver/admission/plugins/default-admission';
import type { PluginOverrides } from '../../../apiserver/admission/plugins/plugin-overrides';
import type { CanUseAddresses } from '../../../apiserver/admission/plugins/networking/service-address-permissions';
import type { CanUseSigner } from '../../../apiserver/admission/plugins/access/certificate-signing';
import type { Entry } from '../../../apiserver/cache/cache';
import { ADMIT_ALL, type Admission, type AdmissionRequest } from '../../../apiserver/registry/admission';
import type {
  DeleteOptions,
  DeleteResult,
  ListPage,
  ObjectBody,
  PatchType,
  RequestContext,
  Resource,
  Subresource,
  WriteOptions,
  Writer,
} from '../../../apiserver/registry/verbs';
import { buildResources, type Resources } from '../../../apiserver/registry/resources';
import { createResourceInfoLookup, type ResourceInfo } from '../../../apiserver/registry/object/resource-info';
import type { OffloadThreads, TransferredResource } from '../../../apiserver/registry/write/executor/offload/messages';
import { runOffloaded, type WorkerDependencies } from '../../../apiserver/registry/write/executor/offload/run-offloaded';
import { createWriter } from '../../../apiserver/registry/write/executor/writer';
import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import type { Status } from '../../../shared/api/errors/status';
import { GENERATED_NAMES, type Dialect, type GeneratedNames } from '../../../shared/names/dialect';
import { featureGates, type FeatureName } from '../../../shared/cli/feature-gates';
import type { Random } from '../../../shared/runtime/random';
import { FixedRandom } from '../clock/fixed-random';
import { ManualClock } from '../clock/manual-clock';
import { MemoryStore } from './memory-store';
import { NON_MUTATING_PLUGINS } from '../objects/non-mutating-plugins';
import { LaggingCache } from './lagging-cache';
import { failureOf } from './reader-fixture';
import { strategyFor } from '../../../apiserver/server/wiring/strategies';

export const PREFIX = '/registry';
/** The default of `--event-ttl`. */
const EVENT_TTL_SECONDS = 3600;
/** The time of the clock at first. */
export const START = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Suffixes and uids count up, so that each is new and predictable; every number is 0.5. */
export class CountingRandom extends FixedRandom {
  /** Suffixes that are returned before those that count up. */
  readonly suffixes: string[] = [];

  constructor() {
    super(0.5);
  }

  override string(length: number): string {
    return this.suffixes.shift() ?? super.string(length, 'b');
  }
}

export interface WriteResult {
  readonly object: JsonObject;
  readonly entry: Entry;
  readonly created: boolean;
}

/** Options of a call, besides those of the writer. The namespace is `ns` by default. */
type Options = Partial<WriteOptions> & {
  readonly subresource?: Subresource;
  readonly namespace?: string;
  readonly force?: boolean;
  /** The dialect of a patch; `platform` when absent. */
  readonly dialect?: Dialect;
};

export interface WriteFixture {
  readonly store: MemoryStore;
  /** Lags behind the store until the test lets it catch up. */
  readonly cache: LaggingCache;
  readonly clock: ManualClock;
  readonly random: CountingRandom;
  readonly resources: Resources;
  readonly writer: Writer;
  readonly allocator: ServiceAllocator;
  /** The warnings of all requests, in order. */
  readonly warnings: string[];
  /** The resource of a plural, which group and version may precede: `apps/v1/deployments`. */
  resource(name: string): Resource;
  create(resource: string, body: JsonObject, options?: Options): Promise<WriteResult>;
  update(resource: string, name: string, body: JsonObject, options?: Options): Promise<WriteResult>;
  patch(resource: string, name: string, type: PatchType, body: unknown, options?: Options): Promise<WriteResult>;
  remove(resource: string, name: string, options?: Partial<DeleteOptions> & { readonly namespace?: string }): Promise<DeleteResult>;
  /** The stored object in the namespace `ns`, or the cluster-scoped one; `undefined` when there is none. */
  stored(resource: string, name: string): Promise<JsonObject | undefined>;
  /** Passed with each request; a test may replace it. */
  context: RequestContext;
}

/** An allocator of ranges in the notation of the flags. */
export function testAllocator(
  random: Random,
  names: GeneratedNames,
  ranges: { readonly ranges?: string; readonly nodePorts?: string } = {},
): ServiceAllocator {
  const addresses = parseServiceRanges(ranges.ranges ?? '10.0.0.0/24');
  const nodePorts = parsePortRange(ranges.nodePorts ?? '30000-32767');
  if (typeof addresses === 'string' || typeof nodePorts === 'string') throw new Error('these are no ranges');
  return new ServiceAllocator({
    ranges: addresses,
    nodePorts,
    prefix: PREFIX,
    random,
    firstAddressFor: { namespace: 'default', name: names.defaultService },
  });
}

/** The dependencies of a writer that are the same in all tests. */
export const writerSettings = (resources: Resources) => ({
  strategyOf: strategyFor,
  conversions: NO_CONVERSIONS,
  prefix: PREFIX,
  namespaces: resources.require('namespaces'),
  definitions: resources.require('customresourcedefinitions.apiextensions.platform.io'),
  leases: resources.require('leases.coordination.platform.io'),
  eventTtlSeconds: EVENT_TTL_SECONDS,
});

/** Limits that every write exceeds, even an empty one, so that every write is offloaded. */
const OFFLOAD_ALL = { bytes: -1, yamlBytes: -1, values: -1 };

export interface WriteFixtureOptions {
  readonly naming?: Dialect;
  /** Responds to the lists that writes make; they fail when absent. */
  readonly list?: () => Promise<ListPage>;
  /** Ranges of Service addresses and of node ports, in the notation of the flags. */
  readonly ranges?: string;
  readonly nodePorts?: string;
  /** Authorization checks of admission plug-ins. */
  readonly canUseAddresses?: CanUseAddresses;
  readonly canUseSigner?: CanUseSigner;
  /** Absent: no plug-in changes objects. */
  readonly plugins?: PluginOverrides;
  readonly gates?: ReadonlyMap<FeatureName, boolean>;
  /** Offloads every write: bodies are sent unparsed, and the steps run as in a worker thread. */
  readonly isOffloaded?: boolean;
  /** Replaces the admission chain of the write steps. */
  readonly admission?: (usual: Admission) => Admission;
  /**
   * Validates every written object in place of the admission chain, as a webhook would: an external call that needs a
   * proven state.
   */
  readonly externalValidator?: (request: AdmissionRequest) => undefined;
}

/** Creates the namespace `ns`, in which all calls are that do not name another one. */
export async function openWriteFixture(options: WriteFixtureOptions = {}): Promise<WriteFixture> {
  const store = new MemoryStore();
  const clock = new ManualClock(START);
  const random = new CountingRandom();
  const resources = buildResources();
  const cache = await LaggingCache.open(store, resources.storedTypes);
  const names = GENERATED_NAMES[options.naming ?? 'platform'];
  const list = options.list ?? ((): Promise<ListPage> => Promise.reject(new Error('no list in this test')));
  const allocator = testAllocator(random, names, options);
  const gates = featureGates(options.gates);
  const defaultAdmission = createDefaultAdmission(
    { names, random, clock, cache, resources, canUseAddresses: options.canUseAddresses, canUseSigner: options.canUseSigner },
    options.plugins ?? NON_MUTATING_PLUGINS,
  );
  const { externalValidator } = options;
  const writer = createWriter({
    store,
    cache,
    reader: { list },
    admission:
      externalValidator === undefined
        ? (options.admission?.(defaultAdmission) ?? defaultAdmission)
        : { ...ADMIT_ALL, callsWebhooks: () => true, validate: externalValidator },
    clock,
    random,
    names,
    gates,
    allocator,
    ...writerSettings(resources),
    threads: options.isOffloaded === true ? inProcessThreads({ clock, random, resources, names, allocator, gates }, options) : undefined,
  });
  const warnings: string[] = [];
  const context: RequestContext = {
    user: { name: 'tester', groups: [] },
    deadline: clock.monotonic() + 60_000,
    warn: (text) => void warnings.push(text),
  };
  const calls = fixtureCalls({ writer, cache, resources, context }, options);
  const fixture = { store, cache, clock, random, resources, writer, allocator, warnings, context, ...calls };
  await fixture.create('namespaces', { metadata: { name: 'ns' } });
  await cache.catchUp();
  return fixture;
}

interface ThreadParts extends Pick<WriteFixture, 'clock' | 'random' | 'resources' | 'allocator'> {
  readonly names: GeneratedNames;
  readonly gates: ReturnType<typeof featureGates>;
}

/** Runs offloaded writes in this thread, with copies of all messages. `ranges` are those of the allocator. */
function inProcessThreads(
  { clock, random, resources, names, allocator, gates }: ThreadParts,
  ranges: Pick<WriteFixtureOptions, 'ranges' | 'nodePorts'>,
): OffloadThreads {
  const infoOf = createResourceInfoLookup(PREFIX, names.dialect, strategyFor);
  const workerDeps: WorkerDependencies = {
    admission: createWorkerAdmission(names),
    clock,
    random,
    names,
    eventTtlSeconds: EVENT_TTL_SECONDS,
    conversions: NO_CONVERSIONS,
    strategyContext: ({ context }) => ({
      names,
      user: context.user,
      warn: (text) => context.warn(text),
      now: clock.now(),
      serviceFamilies: allocator.families,
      gates,
    }),
    createAllocator: () => testAllocator(random, names, ranges),
  };
  const infoOfSent = (sent: TransferredResource): ResourceInfo => {
    if (sent.type === 'custom') throw new Error('no custom kinds in this test');
    const resource = resources.find(sent.group, sent.version, sent.resource);
    if (resource?.stored === undefined) throw new Error('no such resource');
    return infoOf(resource);
  };
  return {
    limits: OFFLOAD_ALL,
    async run(write, remote) {
      const callStep: typeof remote.callStep = async (question) => structuredClone(await remote.callStep(structuredClone(question)));
      return structuredClone(await runOffloaded(workerDeps, infoOfSent(write.resource), structuredClone(write), { callStep }));
    },
  };
}

function fixtureCalls(
  { writer, cache, resources, context }: Pick<WriteFixture, 'writer' | 'cache' | 'resources' | 'context'>,
  { isOffloaded = false }: WriteFixtureOptions,
): Pick<WriteFixture, 'resource' | 'create' | 'update' | 'patch' | 'remove' | 'stored'> {
  const resource = (name: string): Resource => {
    const [plural = '', version = '', group = ''] = name.split('/').reverse();
    const match = resources.builtInResources.find(
      ({ row }) => row.resource === plural && (version === '' || (row.version === version && row.group === group)),
    );
    if (match === undefined) throw new Error(`no resource ${name}`);
    return match;
  };
  const namespaceOf = (name: string, { namespace = 'ns' }: { readonly namespace?: string } = {}): string =>
    resource(name).row.namespaced ? namespace : '';
  const bodyOf = (value: JsonObject): ObjectBody =>
    isOffloaded ? { raw: { bytes: Buffer.from(stringifyJson(value)), format: 'json' } } : { value, duplicates: [], format: 'json' };
  const toResult = ({ entry, created }: Pick<WriteResult, 'entry' | 'created'>): WriteResult => ({
    object: objectOf(entry),
    entry,
    created,
  });
  return {
    resource,
    create: async (name, value, options) =>
      toResult(await writer.create(context, resource(name), namespaceOf(name, options), bodyOf(value), fullOptions(options))),
    update: async (name, object, value, options) => {
      const target = { namespace: namespaceOf(name, options), name: object };
      return toResult(await writer.update(context, resource(name), target, options?.subresource, bodyOf(value), fullOptions(options)));
    },
    patch: async (name, object, type, body, options) => {
      const target = { namespace: namespaceOf(name, options), name: object };
      const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
      const patch = { type, bytes, dialect: options?.dialect ?? 'platform' } as const;
      const writeOptions = { ...fullOptions(options), ...(options?.force === undefined ? {} : { force: options.force }) };
      return toResult(await writer.patch(context, resource(name), target, options?.subresource, patch, writeOptions));
    },
    remove: (name, object, options) =>
      writer.delete(context, resource(name), { namespace: namespaceOf(name, options), name: object }, { dryRun: false, ...options }),
    async stored(name, object) {
      const { stored, row } = resource(name);
      const { entry } = await cache.readFromStore(stored, row.namespaced ? `ns/${object}` : object);
      return entry === undefined ? undefined : objectOf(entry);
    },
  };
}

const fullOptions = (options: Options = {}): WriteOptions => ({
  dryRun: options.dryRun ?? false,
  fieldValidation: options.fieldValidation ?? 'Warn',
  fieldManager: options.fieldManager ?? 'test',
  ...(options.ifMatch === undefined ? {} : { ifMatch: options.ifMatch }),
});

/** The object as it is stored. */
export function objectOf(entry: Entry): JsonObject {
  const value: JsonObject = JSON.parse(entry.bytes.toString());
  return value;
}

/** The Status with which a call is rejected. */
export const refusalStatus = async (call: Promise<unknown>): Promise<Status> => (await failureOf(call)).status;
