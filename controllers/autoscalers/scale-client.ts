/**
 * Reads and updates the scale subresource of autoscalers' targets, of any kind that the server serves. What prevents
 * scaling is a result with upstream's message, for the autoscaler's conditions and Events: a malformed reference, a
 * kind that is not served, an error response, or a Scale with an invalid selector. Other errors, such as a broken
 * connection, are thrown and retried by the caller. Does not decide how many replicas are desired.
 */
import { parseApiVersion } from '../../shared/api/identity/identity';
import { formatLabelSelector, parseLabelSelector } from '../../shared/api/selectors/label-selector';
import { SelectorError } from '../../shared/api/selectors/selector-error';
import type { AutoscalingV1Scale } from '../../shared/api/types/generated/members';
import { ApiError } from '../../shared/client/rest/api-error';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { canonicalGroup } from '../../shared/names/dialect';
import { compareBytes } from '../../shared/values/json';
import type { ServedKinds } from '../runtime/served-kinds';
import { apiErrorMessage } from './messages';
import type { TargetScale } from './reconcile';
import type { CrossVersionObjectReference } from './spec';

/** The scale of a target, and what its update needs. */
export interface ObservedScale {
  readonly type: 'scale';
  readonly scale: TargetScale;
  /** The resource of the target, not of its scale. */
  readonly resource: Resource;
  /** The Scale as it was read; {@link ScaleClient.update} writes it with its resourceVersion. */
  readonly object: ApiObject<AutoscalingV1Scale>;
}

/** A scale, or why it cannot be read. */
export type ScaleResult =
  | ObservedScale
  /** `isSpecError`: the `apiVersion` in the autoscaler's `scaleTargetRef` is malformed. */
  | { readonly type: 'failed'; readonly message: string; readonly isSpecError: boolean };

/** Upstream's message for a Scale with an invalid selector. */
const INVALID_SELECTOR_PREFIX =
  'received an object from a /scale endpoint which was not convertible to autoscaling Scale: failed to parse target selector';

/** One instance serves all autoscalers; `kinds` resolves the kinds of their targets. */
export class ScaleClient {
  constructor(
    private readonly client: RestClient,
    private readonly kinds: Pick<ServedKinds, 'find'>,
    private readonly signal: AbortSignal,
  ) {}

  /** Resolves the kind of the reference and reads its scale subresource. */
  async get(namespace: string, { apiVersion, kind, name }: CrossVersionObjectReference): Promise<ScaleResult> {
    const groupVersion = apiVersion === '' ? { group: '' } : parseApiVersion(apiVersion);
    if (groupVersion === undefined) return failedScale(`unexpected GroupVersion string: ${apiVersion}`, { isSpecError: true });
    const served = await this.kinds.find(canonicalGroup(groupVersion.group), kind);
    if (served.type !== 'served') return failedScale(`no matches for kind "${kind}" in group "${groupVersion.group}"`);
    try {
      const { resource } = served;
      const object = await this.client.of(resource).namespace(namespace).getScale(name, { signal: this.signal });
      return { type: 'scale', scale: readScale(object), resource, object };
    } catch (error) {
      if (error instanceof ApiError) return failedScale(apiErrorMessage(error));
      if (error instanceof SelectorError) return failedScale(`${INVALID_SELECTOR_PREFIX}: ${error.message}`);
      throw error;
    }
  }

  /**
   * Sets the replicas of the observed scale. Returns the server's error message, such as that of a conflict with a later
   * update, or `undefined` when the target was scaled.
   */
  async update({ resource, object: { namespace, body } }: ObservedScale, replicas: number): Promise<string | undefined> {
    try {
      await this.client
        .of(resource)
        .namespace(namespace)
        .updateScale({ ...body, spec: { ...body.spec, replicas } }, { signal: this.signal });
      return undefined;
    } catch (error) {
      if (error instanceof ApiError) return apiErrorMessage(error);
      throw error;
    }
  }
}

const failedScale = (message: string, { isSpecError } = { isSpecError: false }): ScaleResult => ({ type: 'failed', message, isSpecError });

/** Throws {@link SelectorError}. */
function readScale({ body: { spec, status } }: ApiObject<AutoscalingV1Scale>): TargetScale {
  return {
    specReplicas: spec?.replicas ?? 0,
    statusReplicas: status?.replicas ?? 0,
    selector: canonicalSelector(status?.selector ?? ''),
  };
}

/**
 * Sorts the requirements by key, so that selectors with the same requirements on different keys become equal strings.
 * Several requirements on one key keep their order.
 */
function canonicalSelector(text: string): string {
  try {
    return formatLabelSelector([...parseLabelSelector(text)].sort((a, b) => compareBytes(a.key, b.key)));
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new SelectorError(`couldn't parse the selector string "${text}": ${error.message}`);
  }
}
