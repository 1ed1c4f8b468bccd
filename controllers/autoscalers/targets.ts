/** The scales of targets, of whatever kind: how many pods they want and have, and telling them another number. Decides nothing. */
import { parseApiVersion } from '../../shared/api/identity/identity';
import { formatLabelSelector, parseLabelSelector } from '../../shared/api/selectors/label-selector';
import { SelectorError } from '../../shared/api/selectors/selector-error';
import { ApiError } from '../../shared/client/rest/api-error';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { canonicalGroup } from '../../shared/names/dialect';
import { objectAt, stringAt } from '../../shared/values/json';
import type { ServedKinds } from '../runtime/served-kinds';
import type { TargetScale } from './reconcile';
import { numberAt, type KindReference } from './spec';
import { refusalText } from './texts';

export type FoundScale =
  | { readonly type: 'scale'; readonly scale: TargetScale; readonly resource: Resource; readonly object: ApiObject }
  /** Why it cannot be asked; a reference that makes no sense is its owner's fault. */
  | { readonly type: 'failed'; readonly message: string; readonly isOwnFault: boolean };

export class Targets {
  constructor(
    private readonly client: RestClient,
    private readonly kinds: Pick<ServedKinds, 'find'>,
    private readonly signal: AbortSignal,
  ) {}

  async scaleOf(namespace: string, { apiVersion, kind, name }: KindReference): Promise<FoundScale> {
    const parsed = apiVersion === '' ? { group: '', version: '' } : parseApiVersion(apiVersion);
    if (parsed === undefined) return failed(`unexpected GroupVersion string: ${apiVersion}`, true);
    const found = await this.kinds.find(canonicalGroup(parsed.group), kind);
    if (found.type !== 'served') return failed(`no matches for kind "${kind}" in group "${parsed.group}"`);
    try {
      const { resource } = found;
      const object = await this.client.get(resource, { namespace, name, subresource: 'scale' }, { signal: this.signal });
      return { type: 'scale', scale: readScale(object), resource, object };
    } catch (error) {
      if (error instanceof ApiError) return failed(refusalText(error));
      if (error instanceof SelectorError) return failed(`${UNREADABLE}: ${error.message}`);
      throw error;
    }
  }

  /** Undefined = done; else why not. */
  async tell({ resource, object }: Extract<FoundScale, { type: 'scale' }>, replicas: number): Promise<string | undefined> {
    const body = { ...object.body, spec: { ...objectAt(object.body, 'spec'), replicas } };
    try {
      await this.client.updateScale(resource, body, { signal: this.signal });
      return undefined;
    } catch (error) {
      if (error instanceof ApiError) return refusalText(error);
      throw error;
    }
  }
}

const UNREADABLE =
  'received an object from a /scale endpoint which was not convertible to autoscaling Scale: failed to parse target selector';

const failed = (message: string, isOwnFault = false): FoundScale => ({ type: 'failed', message, isOwnFault });

/** Throws {@link SelectorError}. */
function readScale({ body }: ApiObject): TargetScale {
  const [spec, status] = [objectAt(body, 'spec'), objectAt(body, 'status')];
  return {
    replicas: numberAt(spec, 'replicas') ?? 0,
    present: numberAt(status, 'replicas') ?? 0,
    selector: canonicalSelector(stringAt(status, 'selector') ?? ''),
  };
}

function canonicalSelector(text: string): string {
  try {
    return formatLabelSelector([...parseLabelSelector(text)].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)));
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new SelectorError(`couldn't parse the selector string "${text}": ${error.message}`);
  }
}
