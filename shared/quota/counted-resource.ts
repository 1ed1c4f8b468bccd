/**
 * Maps the resource names of ResourceQuotas (`requests.cpu`, `count/deployments.apps`) to the kind of objects that
 * count against them. Accepts both spellings of API groups (`networking.k8s.io` and `networking.platform.io`, see
 * shared/names/dialect.ts) and returns the canonical one.
 */
import type { GroupResource } from '../api/identity/identity';
import { canonicalGroup, otherQualifiedName } from '../names/dialect';

const COMPUTE_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];

const PODS = core('pods');
const CLAIMS = core('persistentvolumeclaims');

/** The fixed names, each with the kind that counts against it. */
const KIND_BY_NAME: ReadonlyMap<string, GroupResource> = new Map([
  ...[
    ...COMPUTE_RESOURCES,
    ...COMPUTE_RESOURCES.map((name) => `requests.${name}`),
    ...COMPUTE_RESOURCES.map((name) => `limits.${name}`),
  ].map((name) => [name, PODS] as const),
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
const STORAGE_CLASS_INFIX = '.storageclass.';
const STORAGE_GROUP = 'storage.platform.io';

/** The resource name of the number of objects of a kind: `count/secrets`, `count/deployments.apps`. */
export function objectCountName({ group, resource }: GroupResource): string {
  return `${COUNT}${resource}${group === '' ? '' : `.${group}`}`;
}

/**
 * The resource name for the claims of one storage class: `gold.storageclass.storage.platform.io/requests.storage`.
 *
 * @param name `requests.storage` or `persistentvolumeclaims`
 */
export const storageClassResourceName = (storageClass: string, name: string): string =>
  `${storageClass}${STORAGE_CLASS_INFIX}${STORAGE_GROUP}/${name}`;

/** The meaning of a resource name in a ResourceQuota. */
export interface CountedResource {
  /** The name in canonical spelling. */
  readonly name: string;
  /** The kind of objects that count; it may be one that is not served. */
  readonly kind: GroupResource;
}

/** `undefined` when no objects count against a resource of that name. */
export function parseCountedResource(name: string): CountedResource | undefined {
  const known = KIND_BY_NAME.get(name);
  if (known !== undefined) return { name, kind: known };
  if (name.startsWith(COUNT)) return parseObjectCount(name.slice(COUNT.length));
  if (/^(?:requests\.)?hugepages-/.test(name)) return { name, kind: PODS };
  const slash = name.indexOf('/');
  if (slash < 0) return undefined;
  const infix = name.lastIndexOf(STORAGE_CLASS_INFIX, slash);
  if (infix > 0 && canonicalGroup(name.slice(infix + STORAGE_CLASS_INFIX.length, slash)) === STORAGE_GROUP)
    return parseStorageClassResource(name.slice(0, infix), name.slice(slash + 1));
  return isExtendedResourceRequest(name) ? { name, kind: PODS } : undefined;
}

/** Such as `requests.example.com/gpu`. Names in a domain of the product are not extended resources. */
const isExtendedResourceRequest = (name: string): boolean =>
  name.startsWith('requests.') && otherQualifiedName(name.slice('requests.'.length)) === undefined;

/** @param text such as `secrets` or `deployments.apps` */
function parseObjectCount(text: string): CountedResource {
  const dot = text.indexOf('.');
  const kind = dot < 0 ? core(text) : { group: canonicalGroup(text.slice(dot + 1)), resource: text.slice(0, dot) };
  return { name: objectCountName(kind), kind };
}

function parseStorageClassResource(storageClass: string, name: string): CountedResource | undefined {
  return name === 'requests.storage' || name === 'persistentvolumeclaims'
    ? { name: storageClassResourceName(storageClass, name), kind: CLAIMS }
    : undefined;
}
