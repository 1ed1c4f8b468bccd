/**
 * Parses the `clientConfig` of a webhook: its address and the authorities that verify its certificate. Resolving the
 * address is left to client.ts.
 */
import { objectAt, ownMember, stringAt, type JsonObject } from '../../shared/values/json';

/** A URL, or a Service of this cluster. */
export type WebhookTargetAddress =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'service'; readonly namespace: string; readonly name: string; readonly port: number; readonly path: string };

/** The contents of a `clientConfig`. */
export interface WebhookTarget {
  /** `undefined` when the configuration has no usable address. */
  readonly address: WebhookTargetAddress | undefined;
  /** In PEM; empty for the authorities of the system. */
  readonly caBundle: string;
}

/** Parses a `clientConfig` that has passed validation; other values are read as if they were absent. */
export function readWebhookTarget(clientConfig: JsonObject): WebhookTarget {
  return {
    address: readAddress(clientConfig),
    caBundle: Buffer.from(stringAt(clientConfig, 'caBundle') ?? '', 'base64').toString('latin1'),
  };
}

/** The port of a Service without `port` in the API. */
const DEFAULT_PORT = 443;

function readAddress(clientConfig: JsonObject): WebhookTargetAddress | undefined {
  const url = stringAt(clientConfig, 'url');
  if (url !== undefined) return URL.canParse(url) ? { type: 'url', url } : undefined;
  const service = objectAt(clientConfig, 'service');
  if (service === undefined) return undefined;
  const port = ownMember(service, 'port');
  return {
    type: 'service',
    namespace: stringAt(service, 'namespace') ?? '',
    name: stringAt(service, 'name') ?? '',
    port: typeof port === 'number' ? port : DEFAULT_PORT,
    path: stringAt(service, 'path') ?? '/',
  };
}
