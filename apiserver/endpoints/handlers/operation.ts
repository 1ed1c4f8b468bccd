/**
 * POST of objects that are not stored: operations that are virtual resources (reviews) or subresources (eviction,
 * binding, token). What an operation does is left to `registry/operations`.
 */
import { parseApiVersion } from '../../../shared/api/identity/identity';
import { stringAt } from '../../../shared/values/json';
import { success } from '../../../shared/api/errors/success-status';
import { dialectOfGroup, type Dialect } from '../../../shared/names/dialect';
import type { ParsedBody } from '../../registry/verbs';
import { bodyRowOf, type OperationTarget } from '../../registry/operations/operation';
import type { ApiDependencies } from './api-dependencies';
import { bodyFormat, MAX_OPERATION_BYTES, readBody } from '../request/body';
import { parseObjectBody } from '../../registry/object/parse-body';
import type { Exchange } from '../request/exchange';
import { writeOptions } from '../request/parameters';
import type { ResourceRequest } from '../request/request-info';
import { sendStatus } from '../response/send-response';
import { negotiateResponse, sendEntry, withEncoder } from './negotiated-response';
import { recordRequestBody } from './audit-recording';
import { STORE_FAILED, STORE_SUCCEEDED, STORE_STARTED } from './write';

/** Sends the object that the operation returns, or its Status. */
export async function runOperation(
  deps: ApiDependencies,
  exchange: Exchange,
  target: OperationTarget,
  info: ResourceRequest,
): Promise<void> {
  const { resource, subresource } = target;
  const row = bodyRowOf(target);
  const { wanted } = negotiateResponse(deps, exchange, info, { row, offer: 'operation' });
  const format = bodyFormat(exchange.header('content-type'), exchange.dialect);
  const bytes = await readBody(exchange, MAX_OPERATION_BYTES);
  const options = writeOptions('CreateOptions', exchange.query, { userAgent: exchange.header('user-agent'), ifMatch: undefined });
  exchange.trace?.addEvent('About to convert to expected version');
  const body = await parseObjectBody({ bytes, format }, row, deps.clock);
  exchange.trace?.addEvent('Conversion done');
  recordRequestBody(deps, exchange, bytes);
  const dialect = info.dialect === undefined && wanted.dialect === undefined ? bodyDialect(body) : undefined;
  if (dialect !== undefined) exchange.setDialect(dialect);
  exchange.trace?.addAttempt(STORE_STARTED, STORE_FAILED, { len: bytes.length });
  const entry = await deps.operations.run(exchange, target, { namespace: info.namespace, name: info.name }, body, options);
  exchange.trace?.addEvent(STORE_SUCCEEDED, { len: bytes.length });
  if ((subresource ?? resource.row).returnsStatus === true) sendStatus(exchange, success(201), 201);
  else await sendEntry(deps, exchange, withEncoder(deps, exchange, row, wanted), { status: 201, entry, policy: 'uncached' });
}

/**
 * The dialect of the kind in the body; `undefined` when both spell its group alike. A body may be of another group than
 * the path: `serviceaccounts/token` is in the core group, which has one spelling, and takes a TokenRequest of
 * `authentication.k8s.io`.
 */
function bodyDialect({ value }: ParsedBody): Dialect | undefined {
  return dialectOfGroup(parseApiVersion(stringAt(value, 'apiVersion') ?? '')?.group ?? '');
}
