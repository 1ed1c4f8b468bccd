/**
 * Content negotiation and the sending of one object or list in the negotiated form, which all handlers share. The form
 * is negotiated before anything is read or written, so that an unacceptable request has no effect.
 */
import { notAcceptable } from '../../../shared/api/errors/status';
import type { KindRow } from '../../../shared/api/kinds';
import type { Entry } from '../../cache/cache';
import type { ApiDependencies } from './api-dependencies';
import type { Exchange } from '../request/exchange';
import { negotiate, type Offer, type Representation } from '../request/negotiation';
import type { ResourceRequest } from '../request/request-info';
import { RESPONSE_WRITTEN, WRITING_RESPONSE, traceResponse } from '../request/request-tracing';
import type { Encoder } from '../representation/encoder';
import type { CachePolicy } from '../representation/encoding-cache';
import type { EncoderForm } from '../representation/encoding-offload';
import { sendObject, wantsPretty, type ListResponseOptions } from '../response/send-response';
import type { ResponseOptions } from '../response/stream-output';
import { encoderFormFor } from './encoder-for';
import { recordResponseEntry } from './audit-recording';

/** The form of a response, which is fixed before anything is read or written. */
export interface NegotiatedResponse {
  /** The negotiated media type and transform. */
  readonly wanted: Representation;
  /** Encodes objects, lists and watch events in that form. */
  readonly encoder: Encoder;
  /** What determines the encoder; `form.row` is the kind of the response. */
  readonly form: EncoderForm;
}

/**
 * Negotiates the representation and the dialect of a response with objects of the kind `row`. Throws 406. Called once per
 * request.
 */
export function negotiateResponse(
  deps: ApiDependencies,
  exchange: Exchange,
  info: ResourceRequest,
  { row, offer }: { readonly row: KindRow; readonly offer: Offer },
): NegotiatedResponse {
  const wanted = negotiate(exchange.header('accept'), offer, exchange.dialect, row);
  if (wanted.dialect !== undefined && info.dialect === undefined) exchange.setDialect(wanted.dialect);
  return withEncoder(deps, exchange, row, wanted);
}

/** The encoder of a representation in the dialect of the response. */
export function withEncoder(deps: ApiDependencies, exchange: Exchange, row: KindRow, wanted: Representation): NegotiatedResponse {
  const form = encoderFormFor(exchange, row, wanted);
  return { wanted, encoder: deps.encoders.encoderFor(form), form };
}

/** A response with one object. */
export interface EntryResponse {
  readonly status: number;
  readonly entry: Entry;
  /** `uncached` for an entry that no later request reads, such as the result of a write. */
  readonly policy: CachePolicy;
}

/** Responds with one object in the negotiated form, and records it in the audit log. Rejects with 406 for a form of lists. */
export async function sendEntry(
  deps: ApiDependencies,
  exchange: Exchange,
  { wanted, encoder, form }: NegotiatedResponse,
  { status, entry, policy }: EntryResponse,
): Promise<void> {
  if (wanted.transform === 'partialList') {
    throw notAcceptable(`you requested PartialObjectMetadataList, but the requested object is not a list (${internalTypeName(form.row)})`);
  }
  exchange.trace?.addEvent(WRITING_RESPONSE);
  traceResponse(exchange, encoder.contentType);
  const encoded = deps.encoders.object(form, entry, policy);
  const body = encoded instanceof Promise ? await encoded : encoded;
  recordResponseEntry(deps, exchange, form, { entry, body });
  sendObject(exchange, { status, contentType: encoder.contentType, body }, responseOptions(deps, exchange, wanted));
  exchange.trace?.addEvent(RESPONSE_WRITTEN);
}

/** Throws 406 when the metadata of a single object is requested of a list. */
export function requireListForm({ wanted, form }: NegotiatedResponse): void {
  if (wanted.transform !== 'partial') return;
  throw notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (${internalTypeName(form.row)}List)`);
}

/** Options of a list response. */
export function listResponseOptions(deps: ApiDependencies, exchange: Exchange, { wanted, form }: NegotiatedResponse): ListResponseOptions {
  return { prepareItem: (entry) => deps.encoders.prepareItem(form, entry), ...responseOptions(deps, exchange, wanted) };
}

function responseOptions(deps: ApiDependencies, exchange: Exchange, wanted: Representation): ResponseOptions {
  return { compress: deps.gates.isEnabled('APIResponseCompression'), pretty: wantsPretty(exchange, wanted) };
}

/** `*core.ConfigMap`: upstream's messages contain the name of the internal type. */
function internalTypeName(row: KindRow): string {
  return `*${row.group === '' ? 'core' : row.group.split('.', 1)[0]}.${row.kind}`;
}
