/** POST, PUT and PATCH. */
import { objectAt, stringAt, type JsonValue } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';
import { parseJson, SyntaxFault } from '../../../shared/serialization';
import type { ObjectBody, Resource, SentBody, Subresource } from '../../registry/verbs';
import { slotTimeSlice } from '../../../shared/scheduling/yielding';
import type { ApiParts } from './api-dependencies';
import { bodyFormat, patchType, readBody } from '../request/body';
import { parseObject } from '../../registry/object/parse-body';
import type { Exchange } from '../request/exchange';
import { patchOptions, writeOptions } from '../request/parameters';
import type { ResourceRequest } from '../request/request-info';
import { negotiated, sendEntry, shownAs } from './negotiated-response';
import { recordSent } from './audit-recording';

/** What traces say of creations and updates. */
export const STORING = 'About to store object in database';
export const NOT_STORED = 'Write to database call failed';
export const STORED = 'Write to database call succeeded';

export async function create(parts: ApiParts, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const { row } = resource;
  const form = negotiated(parts, exchange, resource, info, 'object');
  const format = bodyFormat(exchange.header('content-type'), exchange.dialect, row);
  const bytes = await readBody(exchange);
  const options = writeOptions('CreateOptions', exchange.query, headersOf(exchange));
  exchange.trace?.event('About to convert to expected version');
  const body = await bodyOf(parts, exchange, resource, row, { bytes, format });
  exchange.trace?.event('Conversion done');
  if (row.nameIsNamespace === true && body.value !== undefined) {
    const alias = parts.aliasOf(stringAt(objectAt(body.value, 'metadata'), 'name') ?? '');
    exchange.setBodyAlias(alias);
  }
  exchange.trace?.attempt(STORING, NOT_STORED, { len: bytes.length });
  const { entry } = await parts.writer.create(exchange, resource, info.namespace, body, options);
  exchange.trace?.event(STORED, { len: bytes.length });
  await sendEntry(parts, exchange, resource, form, 201, entry);
}

export async function update(parts: ApiParts, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const shown = shownAs(resource, info);
  const { row } = shown;
  const form = negotiated(parts, exchange, shown, info, 'object');
  const format = bodyFormat(exchange.header('content-type'), exchange.dialect, row);
  const bytes = await readBody(exchange);
  const options = writeOptions('UpdateOptions', exchange.query, headersOf(exchange));
  exchange.trace?.event('About to convert to expected version');
  const body = await bodyOf(parts, exchange, resource, row, { bytes, format });
  exchange.trace?.event('Conversion done');
  const key = { namespace: info.namespace, name: info.name };
  exchange.trace?.attempt(STORING, NOT_STORED, { len: bytes.length });
  const { entry, created } = await parts.writer.update(exchange, resource, key, subresourceOf(info), body, options);
  exchange.trace?.event(STORED, { len: bytes.length });
  await sendEntry(parts, exchange, shown, form, created ? 201 : 200, shown.show(entry));
}

export async function patch(parts: ApiParts, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const type = patchType(exchange.header('content-type'));
  const shown = shownAs(resource, info);
  const form = negotiated(parts, exchange, shown, info, 'object');
  const bytes = await readBody(exchange);
  const sent = { type, bytes, dialect: exchange.dialect };
  const options = patchOptions(type, exchange.query, headersOf(exchange));
  if (exchange.audit?.keepsRequest === true && !parts.writer.defersPatch(sent)) exchange.audit.asked(patchValue(bytes));
  exchange.trace?.event('Recorded the audit event');
  const key = { namespace: info.namespace, name: info.name };
  const { entry, created } = await parts.writer.patch(exchange, resource, key, subresourceOf(info), sent, options);
  exchange.trace?.event('Object stored in database');
  await sendEntry(parts, exchange, shown, form, created ? 201 : 200, shown.show(entry));
}

/** A patch as it was sent: as JSON where it is JSON, else as a text. Read a second time, because the registry reads it with the object at hand. */
function patchValue(bytes: Buffer): JsonValue {
  try {
    return parseJson(bytes).value;
  } catch (error) {
    if (error instanceof SyntaxFault) return bytes.toString();
    throw error;
  }
}

/** Yields where a body takes long to parse. */
async function bodyOf(parts: ApiParts, exchange: Exchange, resource: Resource, row: KindRow, sent: SentBody): Promise<ObjectBody> {
  recordSent(parts, exchange, sent.bytes);
  if (parts.writer.defers(resource, sent)) return { sent };
  const yielder = slotTimeSlice(parts.clock, exchange);
  const body = { ...(await parseObject(sent.bytes, sent.format, row, parts.clock, yielder)), sent };
  await yielder.yieldIfDue();
  return body;
}

function headersOf(exchange: Exchange): { readonly userAgent: string | undefined; readonly ifMatch: string | undefined } {
  return { userAgent: exchange.header('user-agent'), ifMatch: exchange.header('if-match') };
}

const SUBRESOURCES: readonly Subresource[] = ['approval', 'ephemeralcontainers', 'finalize', 'scale', 'status'];

export function subresourceOf(info: ResourceRequest): Subresource {
  return SUBRESOURCES.find((subresource) => subresource === info.subresource);
}
