/** What the audit log keeps of bodies: what was sent, and what is answered, as JSON in whatever form the client has them. Answers nothing itself. */
import type { KindRow } from '../../../shared/api/kinds';
import type { Entry } from '../../cache/cache';
import type { ShownPage } from '../../registry/verbs';
import { listText } from '../response/send-response';
import type { Exchange } from '../request/exchange';
import type { Representation } from '../request/negotiation';
import type { ApiParts } from './api-dependencies';
import { encoderOf } from './encoder-for';

const PLAIN: Representation = { media: 'json', transform: 'none', metaVersion: 'v1', dialect: undefined, pretty: false };

/** The registry tells what it makes of the body, which is so many bytes long. */
export function recordSent(parts: ApiParts, exchange: Exchange, { length }: Buffer): void {
  const { audit } = exchange;
  if (audit === undefined) return;
  exchange.setSent((row, metadata, object) => {
    audit.names(metadata);
    audit.requested(length, () => encoderOf(parts, exchange, row, PLAIN).object(object()).toString());
  });
}

/** An object that is answered with; `body` = as the client gets it. */
export function recordEntry(parts: ApiParts, exchange: Exchange, row: KindRow, wanted: Representation, entry: Entry, body: Buffer): void {
  const { audit } = exchange;
  if (audit?.keepsResponse !== true) return;
  const text = wanted.media === 'json' ? body : encoderOf(parts, exchange, row, asJson(wanted)).object(entry);
  audit.answered(text.length, () => text.toString());
}

/** A list that can be walked more than once, which is recorded where the whole answer is. */
export function recordedList(parts: ApiParts, exchange: Exchange, row: KindRow, wanted: Representation, page: ShownPage): ShownPage {
  const { audit } = exchange;
  if (audit?.keepsResponse !== true) return page;
  const entries = [...page.entries];
  let length = 0;
  for (const { bytes } of entries) length += bytes.length;
  audit.answered(length, () => listText(encoderOf(parts, exchange, row, asJson(wanted)), { ...page, entries }));
  return { ...page, entries };
}

const asJson = (wanted: Representation): Representation => ({ ...wanted, media: 'json' });
