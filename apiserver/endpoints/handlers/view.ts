/** GET of what is shown without being stored. Versions, pages and matches are no matter: what is shown is as it is now. */
import type { VirtualResource } from '../../registry/verbs';
import type { ApiParts } from './api-dependencies';
import type { Exchange } from '../request/exchange';
import type { ResourceRequest } from '../request/request-info';
import { sendList } from '../response/send-response';
import { listOptionsOf, negotiated, refuseSingleForm, sendEntry } from './negotiated-response';
import { recordedList } from './audit-recording';

export async function showOne(parts: ApiParts, exchange: Exchange, resource: VirtualResource, info: ResourceRequest): Promise<void> {
  const form = negotiated(parts, exchange, resource, info, 'object');
  await sendEntry(parts, exchange, resource, form, 200, await parts.views.get(resource, info.name));
}

export async function showAll(parts: ApiParts, exchange: Exchange, resource: VirtualResource, info: ResourceRequest): Promise<void> {
  const form = negotiated(parts, exchange, resource, info, 'watchable');
  const { query } = exchange;
  const selection = parts.select(resource.row, query.get('labelSelector') ?? '', query.get('fieldSelector') ?? '');
  const page = await parts.views.list(resource, selection);
  refuseSingleForm(resource, form);
  await sendList(
    exchange,
    form.encoder,
    recordedList(parts, exchange, resource.row, form.wanted, page),
    listOptionsOf(parts, exchange, form),
  );
}
