/** The lines of recorded destinations of proxied requests (format `proxy-destinations`). */
import { body, listOf, mapOf, number, shape, text, type Checked } from '../shape';

/** Placeholder for an address of the server's machine, on which nothing listens at port 1. */
export const OWN_ADDRESS = '<own>';

export const isProxyHead = shape({
  format: text,
  namespace: text,
  otherNamespace: text,
  /** The first address is `status.podIP`. */
  pods: listOf(shape({ namespace: text, name: text, addresses: listOf(text) })),
  /** `status.addresses` by name. */
  nodes: mapOf(listOf(body)),
  /** By name. Without `ports` there is no Service of the name, without `subsets` there are no Endpoints. */
  services: mapOf(shape({}, { ports: listOf(body), subsets: listOf(body) })),
});
export type ProxyHead = Checked<typeof isProxyHead>;

/**
 * `requested` is `<resource>/<name in the request>`, and `reached` is the host and port that the server connects to. A
 * rejection has `code` and `message` instead.
 */
export const isProxyCase = shape({ requested: text }, { reached: text, code: number, message: text });

/** The head with an address in place of `<own>`. */
export function withOwnAddress(head: ProxyHead, address: string): ProxyHead {
  const filledIn: unknown = JSON.parse(JSON.stringify(head).replaceAll(OWN_ADDRESS, address));
  if (!isProxyHead(filledIn)) throw new Error(`not an address: ${address}`);
  return filledIn;
}
