/**
 * Which objects count against a quota's resource, by the resource's name alone. Names of quotas may be in either spelling; usage is known under the canonical one.
 */
import type { GroupResource } from '../api/identity/identity';
import { canonicalGroup, otherQualifiedName } from '../names/dialect';

const MACHINE = ['cpu', 'memory', 'ephemeral-storage'];

const PODS = core('pods');
const CLAIMS = core('persistentvolumeclaims');

/** What counts against resources of these names. */
const BY_NAME: ReadonlyMap<string, GroupResource> = new Map([
  ...[...MACHINE, ...MACHINE.map((name) => `requests.${name}`), ...MACHINE.map((name) => `limits.${name}`)].map(
    (name) => [name, PODS] as const,
  ),
  ...['services', 'services.loadbalancers', 'services.nodeports'].map((name) => [name, core('services')] as const),
  ['requests.storage', CLAIMS],
  ...['pods', 'persistentvolumeclaims', 'configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas'].map(
    (name) => [name, core(name)] as const,
  ),
]);

function core(resource: string): GroupResource {
  return { group: '', resource };
}

const COUNT = 'count/';
const OF_CLASS = '.storageclass.';
const STORAGE_GROUP = 'storage.platform.io';

/** Under which name objects of any kind count. */
export function countName({ group, resource }: GroupResource): string {
  return `${COUNT}${resource}${group === '' ? '' : `.${group}`}`;
}

export const ofClass = (storageClass: string, name: string): string => `${storageClass}${OF_CLASS}${STORAGE_GROUP}/${name}`;

export interface Counted {
  /** The name in canonical spelling. */
  readonly name: string;
  /** What counts. Whether it is served is not known here. */
  readonly kind: GroupResource;
}

/** Undefined = nothing counts against a resource of that name. */
export function countedBy(name: string): Counted | undefined {
  const known = BY_NAME.get(name);
  if (known !== undefined) return { name, kind: known };
  if (name.startsWith(COUNT)) return counts(name.slice(COUNT.length));
  if (/^(?:requests\.)?hugepages-/.test(name)) return { name, kind: PODS };
  const slash = name.indexOf('/');
  if (slash < 0) return undefined;
  const at = name.lastIndexOf(OF_CLASS, slash);
  if (at > 0 && canonicalGroup(name.slice(at + OF_CLASS.length, slash)) === STORAGE_GROUP)
    return ofStorage(name.slice(0, at), name.slice(slash + 1));
  return name.startsWith('requests.') && otherQualifiedName(name.slice('requests.'.length)) === undefined
    ? { name, kind: PODS }
    : undefined;
}

function counts(text: string): Counted {
  const dot = text.indexOf('.');
  const kind = dot < 0 ? core(text) : { group: canonicalGroup(text.slice(dot + 1)), resource: text.slice(0, dot) };
  return { name: countName(kind), kind };
}

function ofStorage(storageClass: string, name: string): Counted | undefined {
  return name === 'requests.storage' || name === 'persistentvolumeclaims' ? { name: ofClass(storageClass, name), kind: CLAIMS } : undefined;
}
