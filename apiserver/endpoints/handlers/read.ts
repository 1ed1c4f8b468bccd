/** GET of one object and of collections. */
import type { ResourceRequest } from '../request-info';
import type { Resource } from '../../registry/contract';
import type { ApiParts } from '../api-parts';
import type { Exchange } from '../exchange';
import { getVersion, listOptions } from '../parameters';
import { sendList } from '../respond';
import { answerOptions, negotiated, refuseSingleForm, sendEntry } from './answer';

export async function get(parts: ApiParts, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const form = negotiated(parts, exchange, resource, info, 'object');
  const version = getVersion(exchange.query);
  const entry = await parts.reader.get(exchange, resource, { namespace: info.namespace, name: info.name }, version);
  sendEntry(parts, exchange, resource, form, 200, entry);
}

export async function list(parts: ApiParts, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const form = negotiated(parts, exchange, resource, info, 'watchable');
  const options = listOptions(resource.row, exchange.query, parts.select);
  const page = await parts.reader.list(exchange, resource, info.namespace, options);
  refuseSingleForm(resource, form);
  await sendList(exchange, form.encoder, page, answerOptions(parts, exchange, form.wanted));
}
