/** What the handlers share: the negotiated encoder, and answering with one object. */
import { notAcceptable } from '../../../shared/api/errors/status';
import type { KindRow, SubresourceRow } from '../../../shared/api/kinds';
import type { Entry } from '../../cache/cache';
import type { Resource, ServedResource } from '../../registry/verbs';
import { scaleEntry } from '../../registry/object/scale';
import type { ApiParts } from './api-dependencies';
import type { Exchange } from '../request/exchange';
import { negotiate, type Offer, type Representation } from '../request/negotiation';
import type { ResourceRequest } from '../request/request-info';
import { ANSWERED, ANSWERING, answering } from '../request/request-tracing';
import type { Encoder } from '../representation/encoder';
import type { EncoderForm } from '../representation/encoding-offload';
import { sendObject, wantsPretty, type ListAnswerOptions } from '../response/send-response';
import type { AnswerOptions } from '../response/stream-output';
import { formOf } from './encoder-for';
import { recordEntry } from './audit-recording';

export interface Negotiated {
  readonly wanted: Representation;
  readonly encoder: Encoder;
  /** What the encoder is made for. */
  readonly form: EncoderForm;
}

/** What an answer shows the kind of. */
type Named = Pick<ServedResource, 'row'>;

/** Negotiates the representation and the dialect of the response. Throws 406. Called once per request. */
export function negotiated(parts: ApiParts, exchange: Exchange, resource: Named, info: ResourceRequest, offer: Offer): Negotiated {
  const wanted = negotiate(exchange.header('accept'), offer, exchange.dialect, resource.row);
  if (wanted.dialect !== undefined && info.dialect === undefined) exchange.setDialect(wanted.dialect);
  return withEncoder(parts, exchange, resource, wanted);
}

/** The encoder of a representation in the dialect of the response. */
export function withEncoder(parts: ApiParts, exchange: Exchange, resource: Named, wanted: Representation): Negotiated {
  const form = formOf(exchange, resource.row, wanted);
  return { wanted, encoder: parts.encoders.of(form), form };
}

/** The row of the subresource that the path names; undefined when it names none, or one that is not served. */
export function subresourceRow(row: KindRow, info: ResourceRequest): SubresourceRow | undefined {
  return info.subresource === '' ? undefined : row.subresources?.find(({ name }) => name === info.subresource);
}

/** How a stored object is asked for and shown: as itself, or as an object of the subresource's own kind. */
export interface Shown {
  readonly row: KindRow;
  show(entry: Entry): Entry;
}

export function shownAs({ row }: Resource, info: ResourceRequest): Shown {
  const kind = subresourceRow(row, info)?.kind;
  return kind === undefined ? { row, show: (entry) => entry } : { row: kind, show: (entry) => scaleEntry(kind, entry, row) };
}

/** Answers with one object in the negotiated form. */
export async function sendEntry(
  parts: ApiParts,
  exchange: Exchange,
  resource: Named,
  { wanted, encoder, form }: Negotiated,
  status: number,
  entry: Entry,
): Promise<void> {
  if (wanted.transform === 'partialList') {
    throw notAcceptable(`you requested PartialObjectMetadataList, but the requested object is not a list (${internalType(resource.row)})`);
  }
  exchange.trace?.event(ANSWERING);
  answering(exchange, encoder.contentType);
  const shown = parts.encoders.object(form, entry);
  const body = shown instanceof Promise ? await shown : shown;
  recordEntry(parts, exchange, resource.row, wanted, entry, body);
  sendObject(exchange, status, encoder.contentType, body, answerOptions(parts, exchange, wanted));
  exchange.trace?.event(ANSWERED);
}

/** Throws the 406 of a list that was asked for as one object's metadata. */
export function refuseSingleForm(resource: Named, { wanted }: Negotiated): void {
  if (wanted.transform !== 'partial') return;
  throw notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (${internalType(resource.row)}List)`);
}

/** What a list is sent with. */
export function listOptionsOf(parts: ApiParts, exchange: Exchange, { wanted, form }: Negotiated): ListAnswerOptions {
  return { ...answerOptions(parts, exchange, wanted), prepared: (entry) => parts.encoders.prepared(form, entry) };
}

function answerOptions(parts: ApiParts, exchange: Exchange, wanted: Representation): AnswerOptions {
  return { compress: parts.gates.enabled('APIResponseCompression'), pretty: wantsPretty(exchange, wanted) };
}

/** `*core.ConfigMap`: upstream names the internal type in its texts. */
function internalType(row: KindRow): string {
  return `*${row.group === '' ? 'core' : row.group.split('.', 1)[0]}.${row.kind}`;
}
