/** GET of one object and of collections. */
import type { ResourceRequest } from '../request/request-info';
import type { Resource } from '../../registry/verbs';
import type { ApiParts } from './api-dependencies';
import type { Exchange } from '../request/exchange';
import { getVersion, listOptions } from '../request/parameters';
import { sendList } from '../response/send-response';
import { listOptionsOf, negotiated, refuseSingleForm, sendEntry, shownAs, subresourceRow } from './negotiated-response';
import { recordedList } from './audit-recording';

export async function get(parts: ApiParts, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const shown = shownAs(resource, info);
  const form = negotiated(parts, exchange, shown, info, 'object');
  const version = getVersion(exchange.query);
  exchange.trace?.event('About to Get from storage');
  const entry = await parts.reader.get(exchange, named(resource, info), { namespace: info.namespace, name: info.name }, version);
  await sendEntry(parts, exchange, shown, form, 200, shown.show(entry));
}

export async function list(parts: ApiParts, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const form = negotiated(parts, exchange, resource, info, 'watchable');
  const options = listOptions(resource.row, exchange.query, parts.select);
  exchange.trace?.event('About to List from storage');
  const page = await parts.reader.list(exchange, resource, info.namespace, options);
  exchange.trace?.event('Listing from storage done');
  refuseSingleForm(resource, form);
  await sendList(
    exchange,
    form.encoder,
    recordedList(parts, exchange, resource.row, form.wanted, page),
    listOptionsOf(parts, exchange, form),
  );
}

/** Some subresources are missed under their own name. */
function named(resource: Resource, info: ResourceRequest): Resource {
  const { row } = resource;
  const group = subresourceRow(row, info)?.missedIn;
  return group === undefined ? resource : { ...resource, row: { ...row, group, resource: `${row.resource}/${info.subresource}` } };
}
