/**
 * Chooses the endpoint for a proxied request to a Service: a ready address of its Endpoints. As upstream requires,
 * the `targetRef` of the address must name a pod of the same namespace that has the address, so addresses that users
 * write into Endpoints cannot lead to other hosts. Opens no connections.
 */
import { arrayAt, isObject, objectAt, ownMember, stringAt, type JsonObject } from '../../../shared/values/json';
import { parseIpAddress } from '../../../shared/values/network/ip-address';
import { serviceUnavailable } from '../../../shared/api/errors/status';
import { quote } from '../../../shared/values/text/quote';
import type { Entry } from '../../cache/cache';
import { parseEntry } from '../object/stored-object';

/** An address and port that serve the Service. */
export interface ServiceEndpoint {
  readonly address: string;
  readonly port: number;
}

/** What restricts the choice of an endpoint. */
export interface EndpointChoice {
  readonly namespace: string;
  /** The name of the port in the Endpoints. */
  readonly portName: string;
  /** Random number in [0, 1) that selects the first candidate. */
  readonly chance: number;
  /** Reads a pod of the namespace; `undefined` when it does not exist. */
  readonly getPod: (name: string) => Promise<Entry | undefined>;
}

/** Limits the pods that are read for one request, because Endpoints may have many references to missing pods. */
const MAX_CANDIDATES = 1_000;

/** `undefined` when none of the first {@link MAX_CANDIDATES} addresses with that port belongs to a pod. */
export async function chooseEndpoint(endpoints: JsonObject, choice: EndpointChoice): Promise<ServiceEndpoint | undefined> {
  const candidates = candidatesIn(endpoints, choice);
  // Tries the candidates in order, from a random one to the end, then from the beginning.
  const firstIndex = Math.floor(choice.chance * candidates.length);
  const rotated = [...candidates.slice(firstIndex), ...candidates.slice(0, firstIndex)];
  for (const { address, port, podName } of rotated.slice(0, MAX_CANDIDATES)) {
    const pod = await choice.getPod(podName);
    if (pod !== undefined && hasAddress(pod, address)) return { address, port };
  }
  return undefined;
}

type Candidate = ServiceEndpoint & { readonly podName: string };

/** The addresses that have the port and refer to a pod of the namespace. */
function candidatesIn(endpoints: JsonObject, { namespace, portName }: EndpointChoice): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const subset of (arrayAt(endpoints, 'subsets') ?? []).filter(isObject)) {
    const ports = (arrayAt(subset, 'ports') ?? []).filter(isObject);
    const namedPort = ports.find((candidate) => (stringAt(candidate, 'name') ?? '') === portName);
    if (namedPort === undefined) continue;
    const port = Number(ownMember(namedPort, 'port') ?? 0);
    for (const address of (arrayAt(subset, 'addresses') ?? []).filter(isObject)) {
      const target = objectAt(address, 'targetRef');
      if (target === undefined || (stringAt(target, 'namespace') ?? '') !== namespace) continue;
      candidates.push({ address: stringAt(address, 'ip') ?? '', port, podName: stringAt(target, 'name') ?? '' });
    }
  }
  return candidates;
}

function hasAddress(pod: Entry, text: string): boolean {
  if (pod.fields['status.podIP'] === text) return true;
  const requested = parseIpAddress(text);
  const status = objectAt(parseEntry(pod).object, 'status');
  return (arrayAt(status, 'podIPs') ?? []).filter(isObject).some((item) => {
    const address = parseIpAddress(stringAt(item, 'ip') ?? '');
    return requested !== undefined && address?.family === requested.family && address.value === requested.value;
  });
}

/** The texts that upstream's parser of integers accepts, apart from its range: `80`, `+80`, `-1`. */
const INTEGER = /^[+-]?[0-9]{1,19}$/;

/** The number of a port in a request to a Service; `undefined` when the port is a name. */
export function servicePortNumber(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const number = BigInt(text.replace(/^\+/, ''));
  const isInt64 = BigInt.asIntN(64, number) === number;
  return isInt64 ? number : undefined;
}

/** The name of the Service's port with this number. Throws 503 when there is none. */
export function servicePortName(service: JsonObject, name: string, number: bigint): string {
  const ports = (arrayAt(objectAt(service, 'spec'), 'ports') ?? []).filter(isObject);
  const match = ports.find((candidate) => Number(ownMember(candidate, 'port')) === Number(number));
  if (match === undefined) throw serviceUnavailable(`no service port ${number} found for service ${quote(name)}`);
  return stringAt(match, 'name') ?? '';
}
