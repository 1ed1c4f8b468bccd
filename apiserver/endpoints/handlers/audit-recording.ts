/**
 * Records request and response bodies in the audit log, as JSON whatever the client's representation. Without an audit
 * policy for the request nothing is encoded.
 */
import type { Entry } from '../../cache/cache';
import type { ResponsePage } from '../../registry/verbs';
import { encodeListText } from '../response/send-response';
import type { Exchange } from '../request/exchange';
import type { Representation } from '../request/negotiation';
import type { EncoderForm } from '../representation/encoding-offload';
import type { ApiDependencies } from './api-dependencies';
import { encoderFor } from './encoder-for';

const PLAIN: Representation = { media: 'json', transform: 'none', metaVersion: 'v1', dialect: undefined, pretty: false };

/** Prepares the recording of a body of this length: the registry later passes its decoded object, which is recorded. */
export function recordRequestBody(deps: ApiDependencies, exchange: Exchange, { length }: Buffer): void {
  const { audit } = exchange;
  if (audit === undefined) return;
  exchange.setLogRequestObject((row, metadata, object) => {
    audit.addObjectMetadata(metadata);
    audit.recordRequestObject(length, () => encoderFor(deps, exchange, row, PLAIN).object(object(), 'uncached').toString());
  });
}

/** Records the object of a response. `body` is the encoded response, which is recorded as it is if it is JSON. */
export function recordResponseEntry(
  deps: ApiDependencies,
  exchange: Exchange,
  { row, wanted }: EncoderForm,
  { entry, body }: { readonly entry: Entry; readonly body: Buffer },
): void {
  const { audit } = exchange;
  if (audit?.recordsResponse !== true) return;
  const text = wanted.media === 'json' ? body : encoderFor(deps, exchange, row, asJson(wanted)).object(entry, 'uncached');
  audit.recordResponseObject(text.length, () => text.toString());
}

/**
 * Records the list if the audit policy includes responses. Returns the page to be sent: its entries can be iterated once
 * more, even if those of `page` can be iterated only once.
 */
export function recordResponseList(
  deps: ApiDependencies,
  exchange: Exchange,
  { row, wanted }: EncoderForm,
  page: ResponsePage,
): ResponsePage {
  const { audit } = exchange;
  if (audit?.recordsResponse !== true) return page;
  const entries = [...page.entries];
  let length = 0;
  for (const { bytes } of entries) length += bytes.length;
  audit.recordResponseObject(length, () => encodeListText(encoderFor(deps, exchange, row, asJson(wanted)), { ...page, entries }));
  return { ...page, entries };
}

const asJson = (wanted: Representation): Representation => ({ ...wanted, media: 'json' });
