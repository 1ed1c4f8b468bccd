/**
 * Limit ranges act: containers get the amounts that they leave unsaid, and pods and claims beyond a range's bounds are refused. The ranges are those of the namespace
 * that this replica knows, by name.
 */
import { forbidden, type StatusError } from '../../shared/api/errors/status';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import type { CoreV1LimitRange, CoreV1LimitRangeItem } from '../../shared/api/types/generated/members';
import type { GeneratedNames } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import type { Cache, StoredType } from '../cache/cache';
import type { AdmissionTarget, AdmissionRequest } from '../registry/admission';
import { parseEntry } from '../registry/object/stored-object';
import type { MutatingPlugin, ValidatingPlugin } from './chain';
import { claimFaults, podFaults } from './limit-bounds';

export interface LimitRangerParts {
  readonly cache: Pick<Cache, 'snapshot'>;
  /** The type of LimitRanges. */
  readonly ranges: StoredType;
  readonly names: Pick<GeneratedNames, 'prefix'>;
}

const NAME = 'LimitRanger';

export interface LimitRanger {
  readonly defaulting: MutatingPlugin;
  readonly bounding: ValidatingPlugin;
}

export function limitRanger(parts: LimitRangerParts): LimitRanger {
  const isMeant = ({ operation, resource: { row }, subresource, namespace }: AdmissionTarget): boolean => {
    if (row.group !== '' || subresource !== undefined) return false;
    const isPod = row.resource === 'pods' && operation === 'CREATE';
    return (isPod || row.resource === 'persistentvolumeclaims') && rangesIn(parts, namespace).length > 0;
  };
  const shared = { name: NAME, handles: (operation: AdmissionRequest['operation']) => operation !== 'DELETE', inspectsObject: isMeant };
  return {
    defaulting: {
      ...shared,
      mutate(request) {
        if (!isMeant(request) || request.object === undefined || request.resource.row.resource !== 'pods') return undefined;
        for (const range of rangesIn(parts, request.namespace)) giveDefaults(range, request.object, parts.names.prefix);
        return undefined;
      },
    },
    bounding: {
      ...shared,
      validate(request) {
        if (isMeant(request)) refuse(request, rangesIn(parts, request.namespace));
        return undefined;
      },
    },
  };
}

/** What is stored has the form of its type. */
interface Reader {
  limits(range: JsonObject): readonly CoreV1LimitRangeItem[];
}

const READER: Reader = { limits: ({ spec }: CoreV1LimitRange) => spec?.limits ?? [] };

function rangesIn({ cache, ranges }: LimitRangerParts, namespace: string): readonly (readonly CoreV1LimitRangeItem[])[] {
  const snapshot = cache.snapshot(ranges);
  if (snapshot.size === 0) return [];
  return [...snapshot.range(`${namespace}/`, `${namespace}0`)].map((entry) => READER.limits(parseEntry(entry).object));
}

function refuse(request: AdmissionRequest, ranges: readonly (readonly CoreV1LimitRangeItem[])[]): void {
  const { object, resource } = request;
  if (object === undefined) return;
  const judge = resource.row.resource === 'pods' ? podFaults : claimFaults;
  for (const limits of ranges) {
    const faults = [...new Set(judge(limits, object))];
    if (faults.length > 0) throw refusal(request, faults.length === 1 ? faults.join('') : `[${faults.join(', ')}]`);
  }
}

/** A generated name is in the object by now. */
function refusal({ resource: { row }, name, object }: AdmissionRequest, text: string): StatusError {
  return forbidden({ group: row.group, resource: row.resource }, stringAt(readMetadata(object ?? {}), 'name') ?? name, text);
}

/** Containers first, then those that come before them. */
const LISTS = [
  ['containers', 'container'],
  ['initContainers', 'init container'],
] as const;

function giveDefaults(limits: readonly CoreV1LimitRangeItem[], pod: JsonObject, prefix: string): void {
  const defaults = defaultsOf(limits);
  const told: string[] = [];
  for (const [list, shown] of LISTS) {
    for (const container of (arrayAt(objectAt(pod, 'spec'), list) ?? []).filter(isObject)) {
      const name = stringAt(container, 'name') ?? '';
      for (const [member, amounts] of defaults) {
        const given = complete(container, member, amounts);
        if (given.length > 0) told.push(`${given.join(', ')} ${member === 'requests' ? 'request' : 'limit'} for ${shown} ${name}`);
      }
    }
  }
  if (told.length === 0) return;
  const metadata = readMetadata(pod);
  const annotations = { ...objectAt(metadata, 'annotations'), [`${prefix}/limit-ranger`]: `LimitRanger plugin set: ${told.join('; ')}` };
  pod['metadata'] = { ...metadata, annotations };
}

type Amounts = Readonly<Record<string, string>>;

/** Of several rules for containers the first that says something of a resource. */
function defaultsOf(limits: readonly CoreV1LimitRangeItem[]): readonly (readonly ['requests' | 'limits', Amounts])[] {
  const ofContainers = limits.filter(({ type }) => type === 'Container').reverse();
  return [
    ['requests', merged(ofContainers.map(({ defaultRequest }) => defaultRequest))],
    ['limits', merged(ofContainers.map((limit) => limit.default))],
  ];
}

/** Of what several say the last counts. */
const merged = (all: readonly (Amounts | undefined)[]): Amounts =>
  Object.fromEntries(all.flatMap((amounts) => Object.entries(amounts ?? {})));

/** The names of what was missing. */
function complete(container: JsonObject, member: 'requests' | 'limits', amounts: Amounts): readonly string[] {
  const resources = objectAt(container, 'resources') ?? {};
  const present = objectAt(resources, member) ?? {};
  const missing = Object.keys(amounts)
    .filter((name) => own(present, name) === undefined)
    .sort();
  if (missing.length === 0) return [];
  const given = Object.fromEntries(missing.map((name) => [name, amounts[name] ?? '0']));
  container['resources'] = { ...resources, [member]: { ...present, ...given } };
  return missing;
}
