/** Requests that lead to a machine behind an object. */
import type { Resource } from '../../registry/verbs';
import { connect } from '../../registry/operations/connect';
import type { ApiParts } from './api-parts';
import type { Exchange } from '../request/exchange';
import type { ResourceRequest } from '../request/request-info';

export async function connectTo(parts: ApiParts, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const { namespace, name, subresource } = info;
  await connect({ reader: parts.reader, nodes: parts.resources.require('nodes') }, exchange, {
    resource,
    subresource,
    key: { namespace, name },
    container: exchange.query.get('container') ?? '',
    upgrades: exchange.header('upgrade') !== undefined,
  });
  exchange.send(204, {}, Buffer.alloc(0));
}
