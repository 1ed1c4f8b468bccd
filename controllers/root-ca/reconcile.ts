/** Decides what to do with the root CA ConfigMap of a namespace. The functions are pure. */
import type { CoreV1ConfigMap } from '../../shared/api/types/generated/members';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { omitNames } from '../../shared/names/spellings';
import { equalJson } from '../../shared/values/json';
import type { ConfigMap } from '../../shared/client/rest/typed-objects';

/** The content of the ConfigMaps. */
export interface RootCaPublication {
  /** The name of the ConfigMap in every namespace. */
  readonly name: string;
  /** PEM. */
  readonly certificate: string;
  readonly annotation: readonly [key: string, value: string];
}

/** What is done with the ConfigMap of a namespace. */
export type RootCaAction =
  | { readonly type: 'none' }
  | { readonly type: 'create' | 'update'; readonly body: CoreV1ConfigMap }
  /** The ConfigMap is immutable: the event of the deletion leads to a creation. */
  | { readonly type: 'delete'; readonly uid: string };

/**
 * `namespace` and `existing` are undefined when there is none. An update removes other data, and keeps labels and other
 * annotations.
 */
export function reconcileRootCa(
  namespace: ApiObject | undefined,
  existing: ConfigMap | undefined,
  { name, certificate, annotation }: RootCaPublication,
): RootCaAction {
  if (namespace === undefined || isBeingDeleted(namespace)) return { type: 'none' };
  const data = { 'ca.crt': certificate };
  if (existing === undefined) {
    return { type: 'create', body: { metadata: { namespace: namespace.name, name, annotations: Object.fromEntries([annotation]) }, data } };
  }
  if (isBeingDeleted(existing)) return { type: 'none' };
  const [key, value] = annotation;
  const annotations = existing.metadata.annotations ?? {};
  const { binaryData, ...body } = existing.body;
  const isDataCorrect = equalJson(body.data, data) && binaryData === undefined;
  if (isDataCorrect && annotations[key] === value) return { type: 'none' };
  if (!isDataCorrect && body.immutable === true) return { type: 'delete', uid: existing.uid };
  const metadata = { ...existing.metadata, annotations: { ...omitNames(annotations, [key]), [key]: value } };
  return { type: 'update', body: { ...body, metadata, data } };
}
