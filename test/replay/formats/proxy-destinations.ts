/** The lines of recorded destinations of proxied requests (format `proxy-destinations`). */
import type { Body } from '../json-response';
import { body, listOf, mapOf, number, shape, text, type Check } from '../shape';

/** Placeholder for an address of the server's machine, on which nothing listens at port 1. */
export const OWN_ADDRESS = '<own>';

interface ProxyPod {
  readonly namespace: string;
  readonly name: string;
  /** The first one is `status.podIP`. */
  readonly addresses: readonly string[];
}

interface ProxyService {
  /** Absent when there is no Service. */
  readonly ports?: readonly Body[];
  /** Absent when there are no Endpoints. */
  readonly subsets?: readonly Body[];
}

export interface ProxyHead {
  readonly format: string;
  readonly namespace: string;
  readonly otherNamespace: string;
  readonly pods: readonly ProxyPod[];
  /** `status.addresses` by name. */
  readonly nodes: Readonly<Record<string, readonly Body[]>>;
  readonly services: Readonly<Record<string, ProxyService>>;
}

export interface ProxyCase {
  /** `<resource>/<name in the request>`. */
  readonly requested: string;
  /** Host and port that the server connects to; `code` and `message` replace it in a rejection. */
  readonly reached?: string;
  readonly code?: number;
  readonly message?: string;
}

export const isProxyHead: Check<ProxyHead> = shape({
  format: text,
  namespace: text,
  otherNamespace: text,
  pods: listOf(shape({ namespace: text, name: text, addresses: listOf(text) })),
  nodes: mapOf(listOf(body)),
  services: mapOf(shape({}, { ports: listOf(body), subsets: listOf(body) })),
});

export const isProxyCase: Check<ProxyCase> = shape({ requested: text }, { reached: text, code: number, message: text });

/** The head with an address in place of `<own>`. */
export function withOwnAddress(head: ProxyHead, address: string): ProxyHead {
  const filledIn: unknown = JSON.parse(JSON.stringify(head).replaceAll(OWN_ADDRESS, address));
  if (!isProxyHead(filledIn)) throw new Error(`not an address: ${address}`);
  return filledIn;
}
