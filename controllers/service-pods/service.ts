/** What the controllers that lead Services to their pods need to know of a Service, read once from the object as it came. */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { valueInEitherSpelling } from '../../shared/names/spellings';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';

export type AddressType = 'IPv4' | 'IPv6';

export interface ServicePortView {
  readonly name: string;
  readonly protocol: string;
  readonly appProtocol: string | undefined;
  /** A number, or the name of a container's port. */
  readonly target: number | string;
}

export interface ServiceView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly created: string;
  readonly isTerminating: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether it names a selector, even if that counts for nothing because it leads elsewhere. */
  readonly namesSelector: boolean;
  /** Undefined = somebody else says where it leads, or it leads nowhere. */
  readonly selector: Readonly<Record<string, string>> | undefined;
  readonly families: readonly AddressType[];
  readonly isHeadless: boolean;
  readonly publishesUnready: boolean;
  readonly ports: readonly ServicePortView[];
  readonly topology: 'auto' | 'close' | 'none';
}

export function serviceView(object: ApiObject, prefix: string): ServiceView {
  const { namespace, name, uid, body } = object;
  const metadata = objectAt(body, 'metadata');
  const spec = objectAt(body, 'spec') ?? {};
  const clusterIp = stringAt(spec, 'clusterIP') ?? '';
  const ports = (arrayAt(spec, 'ports') ?? []).filter(isObject).map(portView);
  return {
    namespace,
    name,
    uid,
    created: stringAt(metadata, 'creationTimestamp') ?? '',
    isTerminating: isBeingDeleted(object),
    labels: textsAt(metadata, 'labels'),
    namesSelector: Object.keys(textsAt(spec, 'selector')).length > 0,
    selector: selectorOf(spec),
    families: familiesOf(spec, clusterIp),
    isHeadless: clusterIp === 'None' || clusterIp === '',
    publishesUnready: spec['publishNotReadyAddresses'] === true,
    ports,
    topology: topologyOf(spec, textsAt(metadata, 'annotations'), prefix),
  };
}

/** The texts of a map whose keys clients choose. */
export function textsAt(object: JsonObject | undefined, member: string): Readonly<Record<string, string>> {
  const entries = Object.entries(objectAt(object, member) ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function selectorOf(spec: JsonObject): Readonly<Record<string, string>> | undefined {
  if (stringAt(spec, 'type') === 'ExternalName') return undefined;
  const selector = textsAt(spec, 'selector');
  return Object.keys(selector).length === 0 ? undefined : selector;
}

/** Those that the Service names; one from before there were names of families has that of its address. */
function familiesOf(spec: JsonObject, clusterIp: string): readonly AddressType[] {
  const named = (arrayAt(spec, 'ipFamilies') ?? []).filter((family) => family === 'IPv4' || family === 'IPv6');
  return named.length > 0 ? named : [clusterIp.includes(':') ? 'IPv6' : 'IPv4'];
}

function portView(port: JsonObject): ServicePortView {
  const target = port['targetPort'];
  const number = Number(port['port'] ?? 0);
  return {
    name: stringAt(port, 'name') ?? '',
    protocol: stringAt(port, 'protocol') ?? 'TCP',
    appProtocol: stringAt(port, 'appProtocol'),
    target: typeof target === 'string' && target !== '' ? target : typeof target === 'number' && target !== 0 ? target : number,
  };
}

function topologyOf(spec: JsonObject, annotations: Readonly<Record<string, string>>, prefix: string): ServiceView['topology'] {
  const mode =
    valueInEitherSpelling(annotations, `service.${prefix}/topology-mode`) ??
    valueInEitherSpelling(annotations, `service.${prefix}/topology-aware-hints`) ??
    '';
  if (mode === 'Auto' || mode === 'auto') return 'auto';
  return stringAt(spec, 'trafficDistribution') === 'PreferClose' ? 'close' : 'none';
}
