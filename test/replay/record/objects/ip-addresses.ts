/**
 * Records which texts a server accepts as IP addresses, with their family and class (format `ip-addresses`), which it
 * accepts as ranges (`ip-ranges`), and which ranges lie strictly within others (`ip-range-pairs`). Sends dry runs of
 * EndpointSlices and NetworkPolicies with many texts each.
 */
import { readRecording } from '../../recording';
import { causesOf, type Json, type JsonResponse } from '../../json-response';
import { anything, either, oneOf, shape, text, tupleOf } from '../../shape';
import type { ReferenceServer } from '../reference-server';

const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?dryRun=All';
const POLICIES = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies?dryRun=All';
/** How many texts one object holds. A server may limit endpoints and the causes of a rejection. */
const CHUNK_SIZE = 50;
const METADATA = { name: 'recorded' };

const isHead = shape({ format: oneOf('ip-addresses', 'ip-ranges', 'ip-range-pairs'), about: text });
/** The verdict is missing from a text that is not recorded yet. */
const isText = either(tupleOf(text, anything), tupleOf(text));
const isPair = either(tupleOf(text, text, anything), tupleOf(text, text));

/** The messages of causes, by the index of the text that they are about. */
type Messages = ReadonlyMap<number, readonly string[]>;

/** Classes of addresses that EndpointSlices reject, and the words of the message about each. */
const CLASSES = [
  { words: 'unspecified', name: 'unspecified' },
  { words: 'the loopback range', name: 'loopback' },
  { words: 'the link-local range', name: 'link-local' },
  { words: 'the link-local multicast range', name: 'link-local multicast' },
] as const;

/** A verdict is `4`, `6`, `4 loopback` …, or `-` for a text that is no address. */
export async function recordIpAddresses(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isHead, isText);
  const lines = await inChunks(cases, async (chunk) => {
    const endpoints = chunk.map(([address]) => ({ addresses: [address] }));
    const send = async (addressType: string): Promise<Messages> =>
      messagesByIndex(await server.sendJson('POST', SLICES, { metadata: METADATA, addressType, endpoints }), /^endpoints\[(\d+)\]/);
    const ofIpv4 = await send('IPv4');
    const ofIpv6 = await send('IPv6');
    return chunk.map(([address], index) => [address, verdict(ofIpv4.get(index) ?? [], ofIpv6.get(index) ?? [])]);
  });
  return [head, ...lines];
}

/** A verdict is whether the text is a range. */
export async function recordIpRanges(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isHead, isText);
  const lines = await inChunks(cases, async (chunk) => {
    const blocks = chunk.map(([cidr]) => ({ cidr }));
    const invalid = await invalidBlocks(server, blocks);
    return chunk.map(([cidr], index) => [cidr, !invalid.has(index)]);
  });
  return [head, ...lines];
}

/** A verdict is whether the second range lies strictly within the first one. */
export async function recordIpRangePairs(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isHead, isPair);
  const lines = await inChunks(cases, async (chunk) => {
    const blocks = chunk.map(([cidr, except]) => ({ cidr, except: [except] }));
    const invalid = await invalidBlocks(server, blocks);
    return chunk.map(([outer, inner], index) => [outer, inner, !invalid.has(index)]);
  });
  return [head, ...lines];
}

/** The lines of all cases; `record` is called with {@link CHUNK_SIZE} cases at a time. */
async function inChunks<C>(cases: readonly C[], record: (chunk: readonly C[]) => Promise<readonly unknown[]>): Promise<readonly unknown[]> {
  const lines: unknown[] = [];
  for (let start = 0; start < cases.length; start += CHUNK_SIZE) lines.push(...(await record(cases.slice(start, start + CHUNK_SIZE))));
  return lines;
}

/** The messages about the IP blocks of a NetworkPolicy that the server rejects. */
async function invalidBlocks(server: ReferenceServer, blocks: readonly Json[]): Promise<Messages> {
  const from = blocks.map((ipBlock) => ({ ipBlock }));
  const policy = { metadata: METADATA, spec: { podSelector: {}, ingress: [{ from }] } };
  return messagesByIndex(await server.sendJson('POST', POLICIES, policy), /\.from\[(\d+)\]/);
}

/** The verdict about an address, from the messages about it in slices of either family. */
function verdict(ofIpv4: readonly string[], ofIpv6: readonly string[]): string {
  if (ofIpv4.some((message) => message.endsWith('must be a valid IP address'))) return '-';
  const family = ofIpv4.some((message) => message.endsWith('must be a valid IPv4 address')) ? '6' : '4';
  const name = CLASSES.find(({ words }) => ofIpv6.some((message) => message.includes(words)))?.name;
  return name === undefined ? family : `${family} ${name}`;
}

/** `fieldIndex` matches the index in the field of a cause. */
function messagesByIndex(reply: JsonResponse, fieldIndex: RegExp): Messages {
  const messages = new Map<number, string[]>();
  for (const [field, , message] of causesOf(reply)) {
    const index = Number(fieldIndex.exec(field)?.[1]);
    messages.set(index, [...(messages.get(index) ?? []), message]);
  }
  return messages;
}
