/** Where a webhook is and who vouches for it, as its configuration says. Asks nobody. */
import { objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';

/** At an address, or behind a Service of this cluster. */
export type WebhookPlace =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'service'; readonly namespace: string; readonly name: string; readonly port: number; readonly path: string };

/** Who is asked. */
export interface WebhookTarget {
  /** Undefined = it has no address that anybody could use. */
  readonly place: WebhookPlace | undefined;
  /** PEM; '' = the authorities that this machine trusts. */
  readonly authority: string;
}

/** `client` = the member `clientConfig`. */
export function targetOf(client: JsonObject): WebhookTarget {
  return { place: placeOf(client), authority: Buffer.from(stringAt(client, 'caBundle') ?? '', 'base64').toString('latin1') };
}

const DEFAULT_PORT = 443;

function placeOf(client: JsonObject): WebhookPlace | undefined {
  const url = stringAt(client, 'url');
  if (url !== undefined) return URL.canParse(url) ? { type: 'url', url } : undefined;
  const service = objectAt(client, 'service');
  if (service === undefined) return undefined;
  const port = own(service, 'port');
  return {
    type: 'service',
    namespace: stringAt(service, 'namespace') ?? '',
    name: stringAt(service, 'name') ?? '',
    port: typeof port === 'number' ? port : DEFAULT_PORT,
    path: stringAt(service, 'path') ?? '/',
  };
}
