/**
 * LimitRanger: gives containers the default requests and limits of the namespace's LimitRanges, and rejects pods and
 * PersistentVolumeClaims outside their bounds. LimitRanges are read from this replica's cache, in order of name.
 */
import { forbidden, type StatusError } from '../../../../shared/api/errors/status';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import type { CoreV1Container, CoreV1LimitRange, CoreV1LimitRangeItem, CoreV1Pod } from '../../../../shared/api/types/generated/members';
import type { GeneratedNames } from '../../../../shared/names/dialect';
import { ownMember } from '../../../../shared/values/json';
import type { Cache, StoredType } from '../../../cache/cache';
import type { AdmissionTarget, AdmissionRequest } from '../../../registry/admission';
import { parseEntry } from '../../../registry/object/stored-object';
import type { MutatingPlugin, ValidatingPlugin } from '../../chain';
import { claimLimitViolations, podLimitViolations } from './limit-violations';

/** Where LimitRanges are read from, and how annotations are spelled. */
export interface LimitRangerDependencies {
  readonly cache: Pick<Cache, 'snapshot'>;
  readonly limitRanges: StoredType;
  readonly names: Pick<GeneratedNames, 'prefix'>;
}

const NAME = 'LimitRanger';

/** The two halves of the plug-in. */
export interface LimitRanger {
  readonly mutating: MutatingPlugin;
  readonly validating: ValidatingPlugin;
}

/** The mutating half sets defaults in pods only; the validating half also checks claims. */
export function limitRanger(deps: LimitRangerDependencies): LimitRanger {
  const isHandled = ({ operation, resource: { row }, subresource, namespace }: AdmissionTarget): boolean => {
    if (row.group !== '' || subresource !== undefined) return false;
    const isPod = row.resource === 'pods' && operation === 'CREATE';
    return (isPod || row.resource === 'persistentvolumeclaims') && limitRangesIn(deps, namespace).length > 0;
  };
  // `inspectsObject` holds for the plug-in as a whole: only the validating half inspects claims.
  const sharedMembers = {
    name: NAME,
    handles: (operation: AdmissionRequest['operation']) => operation !== 'DELETE',
    inspectsObject: isHandled,
  };
  return {
    mutating: {
      ...sharedMembers,
      mutate(request) {
        if (!isHandled(request) || request.object === undefined || request.resource.row.resource !== 'pods') return undefined;
        for (const range of limitRangesIn(deps, request.namespace)) applyDefaults(range, request.object, deps.names.prefix);
        return undefined;
      },
    },
    validating: {
      ...sharedMembers,
      validate(request) {
        if (isHandled(request)) rejectViolations(request, limitRangesIn(deps, request.namespace));
        return undefined;
      },
    },
  };
}

/** The items of one LimitRange. */
type LimitRangeItems = readonly CoreV1LimitRangeItem[];

/** The LimitRanges of a namespace, in order of name. */
function limitRangesIn({ cache, limitRanges }: LimitRangerDependencies, namespace: string): readonly LimitRangeItems[] {
  const snapshot = cache.snapshot(limitRanges);
  if (snapshot.size === 0) return [];
  // Keys are `NAMESPACE/NAME`, and `0` is the character after `/`.
  return [...snapshot.range(`${namespace}/`, `${namespace}0`)].map((entry) => itemsOf(parseEntry(entry).object));
}

const itemsOf = ({ spec }: CoreV1LimitRange): LimitRangeItems => spec?.limits ?? [];

/** Throws for the first LimitRange that the object violates. */
function rejectViolations(request: AdmissionRequest, ranges: readonly LimitRangeItems[]): void {
  const { object, resource } = request;
  if (object === undefined) return;
  const findViolations = resource.row.resource === 'pods' ? podLimitViolations : claimLimitViolations;
  for (const items of ranges) {
    const violations = [...new Set(findViolations(items, object))];
    if (violations.length > 0) throw rejection(request, violations.length === 1 ? violations.join() : `[${violations.join(', ')}]`);
  }
}

/** Names the object as its metadata do: a generated name is set there before the validating step. */
function rejection({ resource: { row }, name, object }: AdmissionRequest, text: string): StatusError {
  return forbidden({ group: row.group, resource: row.resource }, readMetadata(object ?? {}).name ?? name, text);
}

/** The lists of containers in a pod spec with the word for them in the annotation, in upstream's order. */
const CONTAINER_LISTS = [
  { list: 'containers', containerType: 'container' },
  { list: 'initContainers', containerType: 'init container' },
] as const;

/** Sets the missing requests and limits of the containers, and lists them in an annotation of the pod. */
function applyDefaults(items: LimitRangeItems, pod: CoreV1Pod, prefix: string): void {
  const defaults = defaultsOf(items);
  const applied: string[] = [];
  for (const { list, containerType } of CONTAINER_LISTS) {
    for (const container of pod.spec?.[list] ?? []) {
      const subject = `${containerType} ${container.name ?? ''}`;
      const setRequests = setMissingAmounts(container, 'requests', defaults.requests);
      if (setRequests.length > 0) applied.push(`${setRequests.join(', ')} request for ${subject}`);
      const setLimits = setMissingAmounts(container, 'limits', defaults.limits);
      if (setLimits.length > 0) applied.push(`${setLimits.join(', ')} limit for ${subject}`);
    }
  }
  if (applied.length === 0) return;
  const { metadata } = pod;
  const annotations = { ...metadata?.annotations, [`${prefix}/limit-ranger`]: `LimitRanger plugin set: ${applied.join('; ')}` };
  pod.metadata = { ...metadata, annotations };
}

type Amounts = Readonly<Record<string, string>>;

/** The default amounts of a container. A LimitRange has at most one item of each type. */
function defaultsOf(items: LimitRangeItems): Readonly<Record<'requests' | 'limits', Amounts>> {
  const item = items.find(({ type }) => type === 'Container');
  return { requests: item?.defaultRequest ?? {}, limits: item?.default ?? {} };
}

/** Sets the amounts that the container lacks. Returns the names of their resources. */
function setMissingAmounts(container: CoreV1Container, member: 'requests' | 'limits', amounts: Amounts): readonly string[] {
  const present = container.resources?.[member] ?? {};
  const missing = Object.keys(amounts)
    .filter((name) => ownMember(present, name) === undefined)
    .sort();
  if (missing.length === 0) return [];
  const missingAmounts = Object.fromEntries(missing.map((name) => [name, amounts[name] ?? '0']));
  container.resources = { ...container.resources, [member]: { ...present, ...missingAmounts } };
  return missing;
}
