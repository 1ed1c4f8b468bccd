/** POST of what is never stored: the body of an operation, as a virtual resource or below an object. */
import type { SubresourceRow } from '../../../shared/api/kinds';
import { success } from '../../../shared/api/status';
import type { ServedResource } from '../../registry/contract';
import { bodyRow } from '../../registry/virtual/contract';
import type { ApiParts } from '../api-parts';
import { bodyFormat, parseObject, readBody } from '../body';
import type { Exchange } from '../exchange';
import { writeOptions } from '../parameters';
import type { ResourceRequest } from '../request-info';
import { sendStatus } from '../respond';
import { negotiated, sendEntry } from './answer';

export async function operate(
  parts: ApiParts,
  exchange: Exchange,
  resource: ServedResource,
  subresource: SubresourceRow | undefined,
  info: ResourceRequest,
): Promise<void> {
  const place = { resource, subresource };
  const row = bodyRow(place);
  const form = negotiated(parts, exchange, { row }, info, 'operation');
  const format = bodyFormat(exchange.header('content-type'), exchange.dialect);
  const bytes = await readBody(exchange);
  const options = writeOptions('CreateOptions', exchange.query, { userAgent: exchange.header('user-agent'), ifMatch: undefined });
  const body = await parseObject(bytes, format, row.kind, row.type, parts.clock);
  const entry = await parts.operations.run(exchange, place, { namespace: info.namespace, name: info.name }, body, options);
  if ((subresource ?? resource.row).answersStatus === true) sendStatus(exchange, success(201), 201);
  else sendEntry(parts, exchange, { row }, form, 201, entry);
}
