/**
 * Handlers of POST, PUT and PATCH: negotiate the response, read the body and the options, call the writer, and send the
 * written object. An unacceptable media type or option is refused before anything is written. What a write does is left
 * to `registry/write`.
 */
import { objectAt, stringAt, type JsonValue } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';
import { parseJson, ParseError } from '../../../shared/serialization';
import type { ObjectBody, Resource, RawBody, Subresource } from '../../registry/verbs';
import { slotTimeSlice } from '../../../shared/scheduling/yielding';
import type { ApiDependencies } from './api-dependencies';
import { bodyFormat, patchType, readBody } from '../request/body';
import { parseObjectBody } from '../../registry/object/parse-body';
import type { Exchange } from '../request/exchange';
import { patchOptions, writeOptions, type WriteHeaders } from '../request/parameters';
import type { ResourceRequest } from '../request/request-info';
import { negotiateResponse, sendEntry } from './negotiated-response';
import { subresourceView } from './subresource-view';
import { recordRequestBody } from './audit-recording';

/** Names of the trace events around the writer's call, when it creates or updates an object. */
export const STORE_STARTED = 'About to store object in database';
export const STORE_FAILED = 'Write to database call failed';
export const STORE_SUCCEEDED = 'Write to database call succeeded';

/** POST of an object: 201 with the object. */
export async function createObject(deps: ApiDependencies, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const { row } = resource;
  const negotiated = negotiateResponse(deps, exchange, info, { row, offer: 'object' });
  const format = bodyFormat(exchange.header('content-type'), exchange.dialect, row);
  const bytes = await readBody(exchange);
  const options = writeOptions('CreateOptions', exchange.query, writeHeaders(exchange));
  exchange.trace?.addEvent('About to convert to expected version');
  const body = await parseBody(deps, exchange, { resource, row }, { bytes, format });
  exchange.trace?.addEvent('Conversion done');
  if (row.nameIsNamespace === true && body.value !== undefined) {
    const alias = deps.aliasOf(stringAt(objectAt(body.value, 'metadata'), 'name') ?? '');
    exchange.setBodyAlias(alias);
  }
  exchange.trace?.addAttempt(STORE_STARTED, STORE_FAILED, { len: bytes.length });
  const { entry } = await deps.writer.create(exchange, resource, info.namespace, body, options);
  exchange.trace?.addEvent(STORE_SUCCEEDED, { len: bytes.length });
  await sendEntry(deps, exchange, negotiated, { status: 201, entry, policy: 'uncached' });
}

/** PUT of an object or subresource: 200, or 201 when the kind allows a creation by PUT. */
export async function updateObject(deps: ApiDependencies, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const view = subresourceView(resource, info);
  const { row } = view;
  const negotiated = negotiateResponse(deps, exchange, info, { row, offer: 'object' });
  const format = bodyFormat(exchange.header('content-type'), exchange.dialect, row);
  const bytes = await readBody(exchange);
  const options = writeOptions('UpdateOptions', exchange.query, writeHeaders(exchange));
  exchange.trace?.addEvent('About to convert to expected version');
  const body = await parseBody(deps, exchange, { resource, row }, { bytes, format });
  exchange.trace?.addEvent('Conversion done');
  const key = { namespace: info.namespace, name: info.name };
  exchange.trace?.addAttempt(STORE_STARTED, STORE_FAILED, { len: bytes.length });
  const { entry, created } = await deps.writer.update(exchange, resource, key, writableSubresource(info), body, options);
  exchange.trace?.addEvent(STORE_SUCCEEDED, { len: bytes.length });
  await sendEntry(deps, exchange, negotiated, { status: created ? 201 : 200, entry: view.show(entry), policy: 'uncached' });
}

/** PATCH or apply of an object or subresource: 200, or 201 when an apply has created the object. */
export async function patchObject(deps: ApiDependencies, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const type = patchType(exchange.header('content-type'));
  const view = subresourceView(resource, info);
  const negotiated = negotiateResponse(deps, exchange, info, { row: view.row, offer: 'object' });
  const bytes = await readBody(exchange);
  const patch = { type, bytes, dialect: exchange.dialect };
  const options = patchOptions(type, exchange.query, writeHeaders(exchange));
  if (exchange.audit?.recordsRequest === true && !deps.writer.defersPatchParsing(patch)) {
    exchange.audit.recordRequestValue(patchForAudit(bytes));
  }
  exchange.trace?.addEvent('Recorded the audit event');
  const key = { namespace: info.namespace, name: info.name };
  const { entry, created } = await deps.writer.patch(exchange, resource, key, writableSubresource(info), patch, options);
  exchange.trace?.addEvent('Object stored in database');
  await sendEntry(deps, exchange, negotiated, { status: created ? 201 : 200, entry: view.show(entry), policy: 'uncached' });
}

/**
 * The patch for the audit log: parsed if it is JSON, otherwise as text. The registry parses it again later, together with
 * the object that it is applied to.
 */
function patchForAudit(bytes: Buffer): JsonValue {
  try {
    return parseJson(bytes).value;
  } catch (error) {
    if (error instanceof ParseError) return bytes.toString();
    throw error;
  }
}

/**
 * Parses a body of the kind `row`, which for a subresource may be another kind than that of `resource`. Leaves the
 * body unparsed when the writer parses it later. Yields to the event loop while a long body is parsed.
 */
async function parseBody(
  deps: ApiDependencies,
  exchange: Exchange,
  { resource, row }: { readonly resource: Resource; readonly row: KindRow },
  raw: RawBody,
): Promise<ObjectBody> {
  recordRequestBody(deps, exchange, raw.bytes);
  if (deps.writer.defersParsing(resource, raw)) return { raw };
  const yielder = slotTimeSlice(deps.clock, exchange);
  const body = { raw, ...(await parseObjectBody(raw, row, deps.clock, yielder)) };
  await yielder.yieldIfDue();
  return body;
}

function writeHeaders(exchange: Exchange): WriteHeaders {
  return { userAgent: exchange.header('user-agent'), ifMatch: exchange.header('if-match') };
}

/** Subresources with PUT or PATCH. Others are not written: they are operations or connections. */
const WRITABLE_SUBRESOURCES: readonly Subresource[] = ['approval', 'ephemeralcontainers', 'finalize', 'scale', 'status'];

/** The subresource that the path names; `undefined` for the object itself. */
export function writableSubresource(info: ResourceRequest): Subresource {
  return WRITABLE_SUBRESOURCES.find((subresource) => subresource === info.subresource);
}
