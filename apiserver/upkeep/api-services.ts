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
import { groupIn, type GeneratedNames } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Cache } from '../cache/cache';
import type { Resource, Writer } from '../registry/verbs';
import { parseEntry } from '../registry/object/stored-object';
import { keepUp, ownContext, OWN_WRITE, type Upkeep } from './upkeep';

export interface ApiServicesOptions {
  readonly writer: Writer;
  readonly cache: Pick<Cache, 'get' | 'snapshot'>;
  /** The resource of APIServices. */
  readonly services: Resource;
  /** What is served at present. */
  rows(): readonly KindRow[];
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

/** What there should be, one per group version. Pure. */
export function wantedServices(rows: readonly KindRow[]): readonly WantedService[] {
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

export function keepApiServices(options: ApiServicesOptions): Upkeep {
  let managed: readonly Managed[] = ['onstart', 'true'];
  return keepUp(options, async () => {
    try {
      await pass(options, managed);
      managed = ['true'];
      return true;
    } catch (error) {
      options.failed('the APIServices of this server could not be kept in order', error);
      return false;
    }
  });
}

async function pass(options: ApiServicesOptions, managed: readonly Managed[]): Promise<void> {
  const { writer, cache, services, names, clock } = options;
  const label = `kube-aggregator.${names.prefix}/automanaged`;
  const wanted = new Map(wantedServices(options.rows()).map((service) => [nameOf(service, names), service]));
  for (const [name, service] of wanted) {
    if (!managed.includes(service.managed) || cache.get(services.stored, name) !== undefined) continue;
    const value: JsonObject = { metadata: { name, labels: { [label]: service.managed } }, spec: specOf(service, names) };
    await settled('AlreadyExists', () =>
      writer.create(ownContext(clock), services, '', { value, duplicates: [], format: 'json' }, OWN_WRITE),
    );
  }
  for (const entry of cache.snapshot(services.stored).range()) {
    const labels = objectAt(readMetadata(parseEntry(entry).object), 'labels');
    if (stringAt(labels, label) !== 'true' || wanted.has(entry.key)) continue;
    await settled('NotFound', () => writer.delete(ownContext(clock), services, { namespace: '', name: entry.key }, { dryRun: false }));
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
  return `${version}.${groupIn(dialect, group)}`;
}

function specOf({ group, version, priorities }: WantedService, { dialect }: GeneratedNames): JsonObject {
  return {
    ...(group === '' ? {} : { group: groupIn(dialect, group) }),
    version,
    groupPriorityMinimum: priorities.group,
    versionPriority: priorities.version,
  };
}
