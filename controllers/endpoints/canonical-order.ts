/**
 * Sorts addresses, ports and subsets of Endpoints as upstream does, so that neither controller manager rewrites the Endpoints of the other. Addresses are sorted by IP
 * and uid; ports and subsets by the MD5 of their text as Go's spew prints it (`%#v`). The order depends only on the content.
 */
import { createHash } from 'node:crypto';
import { compareBytes, objectAt, stringAt, type JsonObject } from '../../shared/values/json';

export interface Subset {
  readonly ports: readonly JsonObject[];
  readonly ready: readonly JsonObject[];
  readonly unready: readonly JsonObject[];
}

export const byAddress = (one: JsonObject, other: JsonObject): number =>
  compareBytes(textAt(one, 'ip'), textAt(other, 'ip')) || compareBytes(uidOf(one), uidOf(other));

/** Sorts the ports in each subset, then the subsets. The caller has sorted the addresses with {@link byAddress}. */
export function sortSubsets(subsets: readonly Subset[]): readonly Subset[] {
  const sorted = subsets.map((subset) => ({ ...subset, ports: byHash(subset.ports, (port) => `(v1.EndpointPort)${goPort(port)}`) }));
  return byHash(sorted, (subset) => `(v1.EndpointSubset)${goSubset(subset)}`);
}

function byHash<T>(items: readonly T[], textOf: (item: T) => string): readonly T[] {
  if (items.length < 2) return items;
  const hashed = items.map((item) => ({ item, hash: createHash('md5').update(textOf(item)).digest('hex') }));
  return hashed.sort((one, other) => compareBytes(one.hash, other.hash)).map(({ item }) => item);
}

function goSubset({ ready, unready, ports }: Subset): string {
  const addresses = (list: readonly JsonObject[]): string => `([]v1.EndpointAddress)${goList(list, goAddress)}`;
  return `{Addresses:${addresses(ready)} NotReadyAddresses:${addresses(unready)} Ports:([]v1.EndpointPort)${goList(ports, goPort)}}`;
}

function goAddress(address: JsonObject): string {
  const target = objectAt(address, 'targetRef');
  const targetText = target === undefined ? '<nil>' : goReference(target);
  const nodeName = goPointer(stringAt(address, 'nodeName'));
  return `{IP:${goString(address, 'ip')} Hostname:${goString(address, 'hostname')} NodeName:${nodeName} TargetRef:(*v1.ObjectReference)${targetText}}`;
}

function goReference(target: JsonObject): string {
  const [kind, namespace, name] = ['kind', 'namespace', 'name'].map((member) => goString(target, member));
  const [apiVersion, resourceVersion, fieldPath] = ['apiVersion', 'resourceVersion', 'fieldPath'].map((member) => goString(target, member));
  const uid = `(types.UID)${textAt(target, 'uid')}`;
  return `{Kind:${kind} Namespace:${namespace} Name:${name} UID:${uid} APIVersion:${apiVersion} ResourceVersion:${resourceVersion} FieldPath:${fieldPath}}`;
}

function goPort(port: JsonObject): string {
  const protocol = `(v1.Protocol)${textAt(port, 'protocol')}`;
  const appProtocol = goPointer(stringAt(port, 'appProtocol'));
  return `{Name:${goString(port, 'name')} Port:(int32)${Number(port['port'] ?? 0)} Protocol:${protocol} AppProtocol:${appProtocol}}`;
}

const goList = (list: readonly JsonObject[], write: (item: JsonObject) => string): string =>
  list.length === 0 ? '<nil>' : `[${list.map(write).join(' ')}]`;

const goString = (object: JsonObject, member: string): string => `(string)${textAt(object, member)}`;

const goPointer = (text: string | undefined): string => `(*string)${text ?? '<nil>'}`;

const textAt = (object: JsonObject, member: string): string => stringAt(object, member) ?? '';

const uidOf = (address: JsonObject): string => textAt(objectAt(address, 'targetRef') ?? {}, 'uid');
