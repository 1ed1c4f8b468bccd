/** What the root CA publisher does about a namespace; decided from what is seen, without a server. */
import { omitNames } from '../../shared/names/spellings';
import { equalJson, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';

/** What is to be published. */
export interface Publication {
  /** The ConfigMap's name. */
  readonly name: string;
  /** PEM. */
  readonly certificate: string;
  /** The annotation's name and text. */
  readonly annotation: readonly [name: string, text: string];
}

export type Action =
  | { readonly type: 'none' }
  | { readonly type: 'create'; readonly object: JsonObject }
  | { readonly type: 'update'; readonly object: JsonObject }
  /** It cannot be changed any more (`immutable`): the deletion is followed by a creation. */
  | { readonly type: 'delete'; readonly uid: string };

/** Extra data goes; labels and other annotations stay. */
export function actionFor(namespace: ApiObject | undefined, found: ApiObject | undefined, publication: Publication): Action {
  if (namespace === undefined || isBeingDeleted(namespace)) return { type: 'none' };
  const { name, certificate, annotation } = publication;
  const data = { 'ca.crt': certificate };
  if (found === undefined) {
    const metadata = { namespace: namespace.name, name, annotations: Object.fromEntries([annotation]) };
    return { type: 'create', object: { metadata, data } };
  }
  if (isBeingDeleted(found)) return { type: 'none' };
  const metadata = objectAt(found.body, 'metadata') ?? {};
  const annotations = objectAt(metadata, 'annotations') ?? {};
  const isRight = equalJson(own(found.body, 'data'), data) && objectAt(found.body, 'binaryData') === undefined;
  if (isRight && stringAt(annotations, annotation[0]) === annotation[1]) return { type: 'none' };
  if (!isRight && own(found.body, 'immutable') === true) return { type: 'delete', uid: found.uid };
  const { binaryData: _, ...rest } = found.body;
  const described = { ...omitNames(annotations, [annotation[0]]), [annotation[0]]: annotation[1] };
  return { type: 'update', object: { ...rest, metadata: { ...metadata, annotations: described }, data } };
}
