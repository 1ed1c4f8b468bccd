/**
 * GET of one object and of collections: negotiates the response, reads, and sends. `registry/read` decides which
 * revision a response shows.
 */
import type { ResourceRequest } from '../request/request-info';
import type { Resource } from '../../registry/verbs';
import type { ApiDependencies } from './api-dependencies';
import type { Exchange } from '../request/exchange';
import { getVersion, listOptions } from '../request/parameters';
import { sendList } from '../response/send-response';
import { listResponseOptions, negotiateResponse, requireListForm, sendEntry } from './negotiated-response';
import { subresourceRow, subresourceView } from './subresource-view';
import { recordResponseList } from './audit-recording';

/** GET of one object, or of a subresource that shows it. */
export async function getObject(deps: ApiDependencies, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const view = subresourceView(resource, info);
  const negotiated = negotiateResponse(deps, exchange, info, { row: view.row, offer: 'object' });
  const version = getVersion(exchange.query);
  exchange.trace?.addEvent('About to Get from storage');
  const entry = await deps.reader.get(exchange, resourceForErrors(resource, info), { namespace: info.namespace, name: info.name }, version);
  const shown = view.show(entry);
  // A Scale is built for this response, so no later request finds its encoding.
  const policy = shown === entry ? 'cached' : 'uncached';
  await sendEntry(deps, exchange, negotiated, { status: 200, entry: shown, policy });
}

/** GET of a collection. The items are sent in pieces, between which other requests are served. */
export async function listObjects(deps: ApiDependencies, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const negotiated = negotiateResponse(deps, exchange, info, { row: resource.row, offer: 'watchable' });
  const options = listOptions(resource.row, exchange.query, deps.select);
  exchange.trace?.addEvent('About to List from storage');
  const page = await deps.reader.list(exchange, resource, info.namespace, options);
  exchange.trace?.addEvent('Listing from storage done');
  requireListForm(negotiated);
  const recorded = recordResponseList(deps, exchange, negotiated.form, page);
  await sendList(exchange, negotiated.encoder, recorded, listResponseOptions(deps, exchange, negotiated));
}

/** The resource that a NotFound error names: for some subresources, upstream names the subresource in a group of its own. */
function resourceForErrors(resource: Resource, info: ResourceRequest): Resource {
  const { row } = resource;
  const group = subresourceRow(row, info)?.notFoundGroup;
  return group === undefined ? resource : { ...resource, row: { ...row, group, resource: `${row.resource}/${info.subresource}` } };
}
