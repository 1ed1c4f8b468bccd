/**
 * DELETE of one object and of collections, with options from the body or the query. What is deleted and when is
 * decided by the writer.
 */
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { clientError } from '../../../shared/api/errors/status';
import { deletedCollectionStatus } from '../../../shared/api/errors/success-status';
import { parseApiVersion } from '../../../shared/api/identity/identity';
import { quote } from '../../../shared/values/text/quote';
import { DecodeError, decodeObject } from '../../../shared/api/types';
import { ProtobufError, ParseError } from '../../../shared/serialization';
import { canonicalGroup, apiVersionInDialect } from '../../../shared/names/dialect';
import type { DeleteOptions, ParsedBody, Resource } from '../../registry/verbs';
import type { ApiDependencies } from './api-dependencies';
import { bodyFormat, MAX_OPERATION_BYTES, readBody } from '../request/body';
import { parseBody, TypeMetaError } from '../../registry/object/parse-body';
import { dryRunValues, toDeleteOptions } from '../../registry/object/delete-options';
import type { Exchange } from '../request/exchange';
import { collectionDeleteOptions, deleteOptions, dryRunErrors, listOptions, META_GROUP, requireNoErrors } from '../request/parameters';
import type { Query } from '../request/query';
import type { ResourceRequest } from '../request/request-info';
import { sendStatus } from '../response/send-response';
import { RESPONSE_WRITTEN, WRITING_RESPONSE } from '../request/request-tracing';
import { negotiateResponse, sendEntry } from './negotiated-response';

const DELETE_OPTIONS_TYPE = 'meta.v1.DeleteOptions';

/**
 * DELETE of one object: 200 with a Status or the object, 202 while the object is only marked for deletion where
 * upstream does so.
 */
export async function deleteObject(deps: ApiDependencies, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const negotiated = negotiateResponse(deps, exchange, info, { row: resource.row, offer: 'object' });
  const options = await readDeleteOptions(deps, exchange);
  exchange.trace?.addEvent('About to delete object from database');
  const result = await deps.writer.delete(exchange, resource, { namespace: info.namespace, name: info.name }, options);
  exchange.trace?.addEvent('Object deleted from database');
  switch (result.type) {
    case 'object':
      await sendEntry(deps, exchange, negotiated, { status: result.code, entry: result.entry, policy: 'uncached' });
      return;
    case 'status':
      exchange.trace?.addEvent(WRITING_RESPONSE);
      sendStatus(exchange, result.status, result.code);
      exchange.trace?.addEvent(RESPONSE_WRITTEN);
      return;
  }
}

/** DELETE of all objects that match the selectors: 200 with a Status. */
export async function deleteCollection(
  deps: ApiDependencies,
  exchange: Exchange,
  resource: Resource,
  info: ResourceRequest,
): Promise<void> {
  negotiateResponse(deps, exchange, info, { row: resource.row, offer: 'object' });
  const list = listOptions(resource.row, exchange.query, deps.select);
  const options = await readDeleteOptions(deps, exchange, collectionDeleteOptions);
  const page = await deps.writer.deleteCollection(exchange, resource, info.namespace, list, options);
  exchange.trace?.addEvent(WRITING_RESPONSE);
  sendStatus(exchange, deletedCollectionStatus(resource.row, page.continue), 200);
  exchange.trace?.addEvent(RESPONSE_WRITTEN);
}

/**
 * Reads the options from the body; without a body, from the query. `dryRun` in the query applies in addition to that of a
 * body.
 */
async function readDeleteOptions(
  deps: ApiDependencies,
  exchange: Exchange,
  fromQuery: (query: Query) => DeleteOptions = deleteOptions,
): Promise<DeleteOptions> {
  const bytes = await readBody(exchange, MAX_OPERATION_BYTES);
  const dryRun = exchange.query.getAll('dryRun');
  if (bytes.length === 0) {
    const options = fromQuery(exchange.query);
    requireNoErrors('DeleteOptions', dryRunErrors(dryRun));
    return options;
  }
  const format = bodyFormat(exchange.header('content-type'), exchange.dialect);
  const options = decodeOptions(await parseDeleteOptions(deps, exchange, bytes, format));
  exchange.trace?.addEvent('Decoded delete options');
  exchange.audit?.recordRequestValue({
    kind: 'DeleteOptions',
    apiVersion: apiVersionInDialect(exchange.dialect, `${META_GROUP}/__internal`),
    ...options,
  });
  exchange.trace?.addEvent('Recorded the audit event');
  const allDryRun = [...dryRunValues(options), ...dryRun];
  requireNoErrors('DeleteOptions', dryRunErrors(allDryRun));
  return { dryRun: allDryRun.includes('All'), ...toDeleteOptions(options) };
}

async function parseDeleteOptions(
  deps: ApiDependencies,
  exchange: Exchange,
  bytes: Buffer,
  format: ParsedBody['format'],
): Promise<ParsedBody> {
  try {
    const body = await parseBody({ bytes, format }, DELETE_OPTIONS_TYPE, deps.clock);
    requireDeleteOptions(body.value, exchange);
    return body;
  } catch (error) {
    if (error instanceof TypeMetaError || error instanceof ParseError || error instanceof ProtobufError) throw clientError(error.message);
    throw error;
  }
}

/** Throws 400 for another kind. Kind and version are optional; any version is accepted. */
function requireDeleteOptions(value: JsonObject, exchange: Exchange): void {
  const kind = stringAt(value, 'kind') ?? '';
  if (kind === '' || kind === 'DeleteOptions') return;
  const version = apiVersionInDialect(exchange.dialect, canonicalVersion(stringAt(value, 'apiVersion') ?? ''));
  throw clientError(`no kind ${quote(kind)} is registered for version ${quote(version)} in scheme "pkg/runtime/scheme.go:100"`);
}

/** An `apiVersion` in canonical spelling; that of the options when it is absent or malformed. */
function canonicalVersion(apiVersion: string): string {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  if (version === '') return `${META_GROUP}/v1`;
  return group === '' ? version : `${canonicalGroup(group)}/${version}`;
}

function decodeOptions({ value, literals }: ParsedBody): JsonObject {
  try {
    return decodeObject(DELETE_OPTIONS_TYPE, value, literals).object;
  } catch (error) {
    if (error instanceof DecodeError) throw clientError(error.message);
    throw error;
  }
}
