/** Where a webhook behind a Service is at this moment: one of the Service's ready endpoints, as this replica's cache knows them. Connects to nothing. */
import { arrayAt, isObject, objectAt, own, stringAt, stringsAt, type JsonObject } from '../../../shared/values/json';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import type { Random } from '../../../shared/runtime/random';
import type { Entry } from '../../cache/cache';
import { parseEntry } from '../../registry/object/stored-object';

export interface ServicePlace {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface Reached {
  readonly host: string;
  readonly port: number;
}

/** A place, or why there is none. */
export type Resolve = (service: ServicePlace) => Reached | { readonly fault: string };

export interface ResolveParts {
  /** By namespace and name. */
  readonly service: (key: string) => Entry | undefined;
  /** The EndpointSlices of a namespace. */
  readonly slices: (namespace: string) => Iterable<Entry>;
  readonly random: Random;
}

const OWNER = 'platform.io/service-name';

export function serviceResolver({ service, slices, random }: ResolveParts): Resolve {
  return ({ namespace, name, port }) => {
    const entry = service(`${namespace}/${name}`);
    if (entry === undefined) return { fault: `service ${JSON.stringify(name)} not found` };
    const spec = objectAt(parseEntry(entry).object, 'spec') ?? {};
    if (stringAt(spec, 'type') === 'ExternalName') return { host: stringAt(spec, 'externalName') ?? '', port };
    const found = (arrayAt(spec, 'ports') ?? []).filter(isObject).find((one) => own(one, 'port') === port);
    if (found === undefined) return { fault: `no service port ${port} found for service ${JSON.stringify(name)}` };
    const places = readyPlaces(slices(namespace), name, stringAt(found, 'name') ?? '');
    const chosen = places[Math.floor(random.float() * places.length)];
    return chosen ?? { fault: `no endpoints available for service ${JSON.stringify(name)}` };
  };
}

function readyPlaces(slices: Iterable<Entry>, service: string, portName: string): readonly Reached[] {
  const places: Reached[] = [];
  for (const slice of slices) {
    if (!isOf(slice, service)) continue;
    const { object } = parseEntry(slice);
    const port = (arrayAt(object, 'ports') ?? []).filter(isObject).find((one) => (stringAt(one, 'name') ?? '') === portName);
    const number = port === undefined ? undefined : own(port, 'port');
    if (typeof number !== 'number') continue;
    for (const host of readyAddresses(object)) places.push({ host, port: number });
  }
  return places;
}

function isOf({ labels }: Entry, service: string): boolean {
  return Object.keys(labels).some(
    (label) => label.endsWith('service-name') && canonicalQualifiedName(label) === OWNER && labels[label] === service,
  );
}

/** An endpoint of which nobody says whether it is ready is ready. */
function readyAddresses(slice: JsonObject): readonly string[] {
  return (arrayAt(slice, 'endpoints') ?? []).filter(isObject).flatMap((endpoint) => {
    if (own(objectAt(endpoint, 'conditions') ?? {}, 'ready') === false) return [];
    return stringsAt(endpoint, 'addresses').slice(0, 1);
  });
}
