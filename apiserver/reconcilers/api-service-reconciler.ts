/**
 * Creates an APIService for each group version that the server serves locally, like the autoregistration controller
 * of upstream's aggregator. APIServices of built-in groups are created at start only, and may be changed or deleted
 * afterwards; those of custom groups are created and deleted with their definitions. The server routes no requests by
 * these objects; they exist for clients that list them.
 */
import { apiVersionOf, type GroupVersion } from '../../shared/api/identity/identity';
import type { ApiregistrationV1APIServiceSpec } from '../../shared/api/types/generated/members';
import { ownMember, type JsonObject } from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { groupInDialect, type GeneratedNames } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Cache } from '../cache/cache';
import type { Resource, Writer } from '../registry/verbs';
import { startReconciler, type Reconciler } from './reconciler';
import { ignoreReasons, objectBody, serverContext, serverWriteOptions } from './server-writes';

/** Dependencies of the reconciler, and what the server serves at present. */
export interface ApiServiceReconcilerOptions {
  readonly writer: Writer;
  readonly cache: Pick<Cache, 'get' | 'snapshot'>;
  /** The resource apiservices. */
  readonly services: Resource;
  /** The kinds that are served at present. */
  rows(): readonly KindRow[];
  /** Whether custom resource definitions serve the group version at present. */
  readonly isServed: (version: GroupVersion) => boolean;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** Called for each failure; the operation is retried. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/**
 * Priorities of built-in groups (`groupPriorityMinimum`) and of their versions (`versionPriority`) as recorded from
 * release 1.31.1. Groups are in canonical spelling.
 */
const GROUP_PRIORITIES: Readonly<Record<string, { readonly group: number; readonly versions?: Readonly<Record<string, number>> }>> = {
  '': { group: 18_000, versions: { v1: 1 } },
  'admissionregistration.platform.io': { group: 16_700, versions: { v1beta1: 12, v1alpha1: 9 } },
  'apiextensions.platform.io': { group: 16_700 },
  apps: { group: 17_800 },
  'authentication.platform.io': { group: 17_700, versions: { v1beta1: 9, v1alpha1: 1 } },
  'authorization.platform.io': { group: 17_600 },
  autoscaling: { group: 17_500, versions: { v2: 30 } },
  batch: { group: 17_400 },
  'certificates.platform.io': { group: 17_300 },
  'coordination.platform.io': { group: 16_500 },
  'discovery.platform.io': { group: 16_200 },
  'events.platform.io': { group: 17_750 },
  'flowcontrol.apiserver.platform.io': { group: 16_100, versions: { v1: 21, v1beta3: 18 } },
  'networking.platform.io': { group: 17_200 },
  'node.platform.io': { group: 16_300 },
  policy: { group: 17_100 },
  'rbac.authorization.platform.io': { group: 17_000 },
  'scheduling.platform.io': { group: 16_600 },
  'storage.platform.io': { group: 16_800, versions: { v1beta1: 1, v1alpha1: 1 } },
};
/** Priority of a version that {@link GROUP_PRIORITIES} does not list. */
const VERSION_PRIORITY = 15;
/** Priorities of the groups of custom resources, and of groups that {@link GROUP_PRIORITIES} does not list. */
const CUSTOM_PRIORITIES = { group: 1000, version: 100 };

/** The aggregator's own group has no APIService. */
const AGGREGATOR_GROUP = 'apiregistration.platform.io';

/**
 * Value of the label `kube-aggregator.…/automanaged`: `onstart` for built-in groups, `true` for groups of custom resource
 * definitions.
 */
type Managed = 'onstart' | 'true';

interface Priorities {
  readonly group: number;
  readonly version: number;
}

/** An APIService that should exist. */
export interface DesiredApiService extends GroupVersion {
  readonly managed: Managed;
  readonly priorities: Priorities;
}

/** The part of a {@link KindRow} that is needed; `custom` is set for kinds of custom resource definitions. */
type ServedVersion = GroupVersion & { readonly custom?: object };

/** One APIService for each group version of the rows, except for that of the aggregator's own group. */
export function desiredApiServices(rows: readonly ServedVersion[]): readonly DesiredApiService[] {
  const desired = new Map<string, DesiredApiService>();
  for (const row of rows) {
    const service = desiredApiService(row, row.custom === undefined ? 'onstart' : 'true');
    if (service !== undefined && !desired.has(apiVersionOf(row))) desired.set(apiVersionOf(row), service);
  }
  return [...desired.values()];
}

/** `undefined` for the aggregator's own group. */
function desiredApiService({ group, version }: GroupVersion, managed: Managed): DesiredApiService | undefined {
  if (group === AGGREGATOR_GROUP) return undefined;
  const priorities = managed === 'true' ? CUSTOM_PRIORITIES : builtInPriorities({ group, version });
  return { group, version, managed, priorities };
}

function builtInPriorities({ group, version }: GroupVersion): Priorities {
  const priorities = ownMember(GROUP_PRIORITIES, group);
  if (priorities === undefined) return CUSTOM_PRIORITIES;
  return { group: priorities.group, version: ownMember(priorities.versions ?? {}, version) ?? VERSION_PRIORITY };
}

/** The running reconciler of this replica. */
export interface ApiServiceReconciler extends Reconciler {
  /** Reconciles the APIServices of custom group versions that may have been added or removed. */
  enqueue(versions: readonly GroupVersion[]): void;
}

const RESYNC_MS = 60_000;

/** Makes a pass over all group versions at once and every minute. */
export function startApiServiceReconciler(options: ApiServiceReconcilerOptions): ApiServiceReconciler {
  const sync = new ApiServiceSync(options);
  const reconciler = startReconciler(options, async () => {
    try {
      await sync.reconcileAll();
      return true;
    } catch (error) {
      sync.requestResync();
      options.onFailure('the APIServices of this server could not be reconciled', error);
      return false;
    }
  });
  return {
    ...reconciler,
    enqueue(versions) {
      if (sync.enqueue(versions)) void reconciler.trigger();
    },
  };
}

class ApiServiceSync {
  /** Which missing APIServices a resync creates: after the first resync only those of custom resource definitions. */
  private createdByResync: readonly Managed[] = ['onstart', 'true'];
  /** Custom group versions to reconcile in the next pass, by the name of their APIService. */
  private readonly queue = new Map<string, GroupVersion>();
  /** In ms of Clock.monotonic; in the past at first. */
  private nextResyncAt: number;

  constructor(private readonly options: ApiServiceReconcilerOptions) {
    this.nextResyncAt = options.clock.monotonic();
  }

  /** Makes the next {@link reconcileAll} compare all APIServices. */
  requestResync(): void {
    this.nextResyncAt = this.options.clock.monotonic();
  }

  /**
   * Enqueues the versions with a missing or superfluous APIService, and removes the others from the queue. Returns true
   * when the queue is not empty.
   */
  enqueue(versions: readonly GroupVersion[]): boolean {
    const { cache, services, isServed, names } = this.options;
    for (const version of versions) {
      const name = nameOf(version, names);
      const exists = cache.get(services.stored, name) !== undefined;
      if (exists === isServed(version)) this.queue.delete(name);
      else this.queue.set(name, version);
    }
    return this.queue.size > 0;
  }

  /** Makes a resync if one is due, then reconciles the queue. */
  async reconcileAll(): Promise<void> {
    const { clock } = this.options;
    if (clock.monotonic() >= this.nextResyncAt) {
      await this.resync();
      this.createdByResync = ['true'];
      this.nextResyncAt = clock.monotonic() + RESYNC_MS;
    }
    for (const [name, { group, version }] of [...this.queue]) {
      // Removed first: when reconciling it fails, the caller requests a resync, which covers it.
      this.queue.delete(name);
      await this.reconcileVersion(name, { group, version });
    }
  }

  private async resync(): Promise<void> {
    const { cache, services, names } = this.options;
    const desired = new Map(desiredApiServices(this.options.rows()).map((service) => [nameOf(service, names), service]));
    for (const [name, service] of desired) {
      const isMissing = cache.get(services.stored, name) === undefined;
      if (isMissing && this.createdByResync.includes(service.managed)) await this.create(name, service);
    }
    for (const { key } of cache.snapshot(services.stored).range()) {
      if (!desired.has(key)) await this.removeIfAutomatic(key);
    }
  }

  /** Reconciles the APIService of a custom group version. */
  private async reconcileVersion(name: string, version: GroupVersion): Promise<void> {
    const { cache, services, isServed } = this.options;
    if (!isServed(version)) {
      await this.removeIfAutomatic(name);
      return;
    }
    const exists = cache.get(services.stored, name) !== undefined;
    const service = desiredApiService(version, 'true');
    if (!exists && service !== undefined) await this.create(name, service);
  }

  private get label(): string {
    return `kube-aggregator.${this.options.names.prefix}/automanaged`;
  }

  private async create(name: string, service: DesiredApiService): Promise<void> {
    const { writer, services, names, clock } = this.options;
    const value: JsonObject = { metadata: { name, labels: { [this.label]: service.managed } }, spec: specOf(service, names) };
    await ignoreReasons(['AlreadyExists'], () =>
      writer.create(serverContext(clock), services, '', objectBody(value), serverWriteOptions(names)),
    );
  }

  /** Deletes an APIService that this reconciler has created for a definition. */
  private async removeIfAutomatic(name: string): Promise<void> {
    const { writer, cache, services, clock } = this.options;
    const entry = cache.get(services.stored, name);
    if (entry?.labels[this.label] !== 'true') return;
    await ignoreReasons(['NotFound'], () => writer.delete(serverContext(clock), services, { namespace: '', name }, { dryRun: false }));
  }
}

/** The name of an APIService: `v1.apps`, and `v1.` for the core group. */
function nameOf({ group, version }: GroupVersion, { dialect }: GeneratedNames): string {
  return `${version}.${groupInDialect(dialect, group)}`;
}

function specOf({ group, version, priorities }: DesiredApiService, { dialect }: GeneratedNames): ApiregistrationV1APIServiceSpec {
  return {
    ...(group === '' ? {} : { group: groupInDialect(dialect, group) }),
    version,
    groupPriorityMinimum: priorities.group,
    versionPriority: priorities.version,
  };
}
