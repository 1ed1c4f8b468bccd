/**
 * Keeps an APIService for every group version that the server itself serves, as upstream's aggregator does: those of built-in groups are made when it
 * starts, and are then left to whoever changes or deletes them; those of custom groups come and go with their definitions. Nothing here depends on them: they are for those who
 * list them.
 */
import { apiVersionOf, type GroupVersion } from '../../shared/api/identity/identity';
import { own, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { StatusError } from '../../shared/api/errors/status';
import { groupInDialect, type GeneratedNames } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Cache } from '../cache/cache';
import type { Resource, Writer } from '../registry/verbs';
import { parseEntry } from '../registry/object/stored-object';
import { keepUp, ownContext, ownWrite, type Upkeep } from './reconciler';

export interface ApiServicesOptions {
  readonly writer: Writer;
  readonly cache: Pick<Cache, 'get' | 'snapshot'>;
  /** The resource of APIServices. */
  readonly services: Resource;
  /** What is served at present. */
  rows(): readonly KindRow[];
  /** Whether definitions serve a group version at present. */
  readonly serves: (version: GroupVersion) => boolean;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

/** By group in canonical spelling: its priority and, where they differ from {@link VERSION_PRIORITY}, those of its versions. Recorded from release 1.31.1. */
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
const VERSION_PRIORITY = 15;
const CUSTOM = { group: 1000, version: 100 };

/** Of itself the aggregator has none. */
const AGGREGATOR = 'apiregistration.platform.io';

/** `onstart` = it is there when the server starts; `true` = as long as there is a definition. */
type Managed = 'onstart' | 'true';

export interface WantedService extends GroupVersion {
  readonly managed: Managed;
  readonly priorities: { readonly group: number; readonly version: number };
}

/** As much of a kind as decides about its group version. */
type ServedVersion = GroupVersion & { readonly custom?: object };

/** What there should be, one per group version. Pure. */
export function wantedServices(rows: readonly ServedVersion[]): readonly WantedService[] {
  const wanted = new Map<string, WantedService>();
  for (const { group, version, custom } of rows) {
    const gv = { group, version };
    if (group === AGGREGATOR || wanted.has(apiVersionOf(gv))) continue;
    const known = own(GROUP_PRIORITIES, group);
    wanted.set(
      apiVersionOf(gv),
      custom !== undefined || known === undefined
        ? { ...gv, managed: custom === undefined ? 'onstart' : 'true', priorities: CUSTOM }
        : {
            ...gv,
            managed: 'onstart',
            priorities: { group: known.group, version: own(known.versions ?? {}, version) ?? VERSION_PRIORITY },
          },
    );
  }
  return [...wanted.values()];
}

export interface ApiServicesUpkeep extends Upkeep {
  /** Custom group versions of which something may have come or gone: these alone are looked at. */
  changed(versions: readonly GroupVersion[]): void;
}

const FULL_LOOK_MS = 60_000;

export function keepApiServices(options: ApiServicesOptions): ApiServicesUpkeep {
  const keeper = new Keeper(options);
  const upkeep = keepUp(options, async () => {
    try {
      await keeper.pass();
      return true;
    } catch (error) {
      keeper.lookAtAllSoon();
      options.failed('the APIServices of this server could not be kept in order', error);
      return false;
    }
  });
  return {
    ...upkeep,
    changed(versions) {
      if (keeper.note(versions)) void upkeep.look();
    },
  };
}

class Keeper {
  private managed: readonly Managed[] = ['onstart', 'true'];
  private readonly waiting = new Map<string, GroupVersion>();
  private fullLookAt: number;

  constructor(private readonly options: ApiServicesOptions) {
    this.fullLookAt = options.clock.monotonic();
  }

  lookAtAllSoon(): void {
    this.fullLookAt = this.options.clock.monotonic();
  }

  /** True = there is something to do. */
  note(versions: readonly GroupVersion[]): boolean {
    const { cache, services, serves, names } = this.options;
    for (const version of versions) {
      const name = nameOf(version, names);
      if (serves(version) === (cache.get(services.stored, name) !== undefined)) this.waiting.delete(name);
      else this.waiting.set(name, version);
    }
    return this.waiting.size > 0;
  }

  async pass(): Promise<void> {
    const { clock } = this.options;
    if (clock.monotonic() >= this.fullLookAt) {
      await this.lookAtAll();
      this.managed = ['true'];
      this.fullLookAt = clock.monotonic() + FULL_LOOK_MS;
    }
    for (const [name, { group, version }] of [...this.waiting]) {
      // Whatever goes wrong is found by the next look at all.
      this.waiting.delete(name);
      await this.settle(name, { group, version });
    }
  }

  private async lookAtAll(): Promise<void> {
    const { cache, services, names } = this.options;
    const wanted = new Map(wantedServices(this.options.rows()).map((service) => [nameOf(service, names), service]));
    for (const [name, service] of wanted) {
      if (this.managed.includes(service.managed) && cache.get(services.stored, name) === undefined) await this.create(name, service);
    }
    for (const { key } of cache.snapshot(services.stored).range()) if (!wanted.has(key)) await this.removeOwn(key);
  }

  /** Of a custom group version. */
  private async settle(name: string, version: GroupVersion): Promise<void> {
    const { cache, services, serves } = this.options;
    const isThere = cache.get(services.stored, name) !== undefined;
    if (!serves(version)) await this.removeOwn(name);
    else if (!isThere) for (const service of wantedServices([{ ...version, custom: CUSTOM }])) await this.create(name, service);
  }

  private get label(): string {
    return `kube-aggregator.${this.options.names.prefix}/automanaged`;
  }

  private async create(name: string, service: WantedService): Promise<void> {
    const { writer, services, names, clock } = this.options;
    const value: JsonObject = { metadata: { name, labels: { [this.label]: service.managed } }, spec: specOf(service, names) };
    await settled('AlreadyExists', () =>
      writer.create(ownContext(clock), services, '', { value, duplicates: [], format: 'json' }, ownWrite(names)),
    );
  }

  /** Unless it is somebody else's. */
  private async removeOwn(name: string): Promise<void> {
    const { writer, cache, services, clock } = this.options;
    const entry = cache.get(services.stored, name);
    if (entry === undefined || stringAt(objectAt(readMetadata(parseEntry(entry).object), 'labels'), this.label) !== 'true') return;
    await settled('NotFound', () => writer.delete(ownContext(clock), services, { namespace: '', name }, { dryRun: false }));
  }
}

/** Another replica may have come first. */
async function settled(expected: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== expected) throw error;
  }
}

function nameOf({ group, version }: GroupVersion, { dialect }: GeneratedNames): string {
  return `${version}.${groupInDialect(dialect, group)}`;
}

function specOf({ group, version, priorities }: WantedService, { dialect }: GeneratedNames): JsonObject {
  return {
    ...(group === '' ? {} : { group: groupInDialect(dialect, group) }),
    version,
    groupPriorityMinimum: priorities.group,
    versionPriority: priorities.version,
  };
}
