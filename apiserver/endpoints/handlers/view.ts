/**
 * GET of virtual resources, which are computed and not stored, such as component statuses. Resource versions and
 * pagination do not apply. The objects are left to `registry/operations`.
 */
import type { VirtualResource } from '../../registry/verbs';
import type { ApiDependencies } from './api-dependencies';
import type { Exchange } from '../request/exchange';
import type { ResourceRequest } from '../request/request-info';
import { sendList } from '../response/send-response';
import { listResponseOptions, negotiateResponse, requireListForm, sendEntry } from './negotiated-response';
import { recordResponseList } from './audit-recording';

/** GET of one virtual object. */
export async function getView(deps: ApiDependencies, exchange: Exchange, resource: VirtualResource, info: ResourceRequest): Promise<void> {
  const negotiated = negotiateResponse(deps, exchange, info, { row: resource.row, offer: 'object' });
  const entry = await deps.views.get(resource, info.name);
  await sendEntry(deps, exchange, negotiated, { status: 200, entry, policy: 'uncached' });
}

/** GET of all virtual objects that match the selectors, in one page. */
export async function listViews(
  deps: ApiDependencies,
  exchange: Exchange,
  resource: VirtualResource,
  info: ResourceRequest,
): Promise<void> {
  const negotiated = negotiateResponse(deps, exchange, info, { row: resource.row, offer: 'watchable' });
  const { query } = exchange;
  const selection = deps.select(resource.row, query.get('labelSelector') ?? '', query.get('fieldSelector') ?? '');
  const page = await deps.views.list(resource, selection);
  requireListForm(negotiated);
  const recorded = recordResponseList(deps, exchange, negotiated.form, page);
  await sendList(exchange, negotiated.encoder, recorded, listResponseOptions(deps, exchange, negotiated));
}
