/** Accessors of pods and of owner references that several controllers use. */
import type { CoreV1Volume } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { ObjectReference } from '../../shared/client/events/event-correlator';
import { conditionStatus } from './conditions';
import type { Pod } from '../../shared/client/rest/typed-objects';

/**
 * Compares objects by name. Sort with it before a list is written to the API, or before a message names its first
 * object, because the order of an informer's objects depends on its history. Names are ASCII, so the order of UTF-16
 * units is the order of bytes.
 */
export function compareNames(a: Pick<ApiObject, 'name'>, b: Pick<ApiObject, 'name'>): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

export const isPodReady = ({ body }: Pod): boolean => conditionStatus(body, 'Ready') === 'True';

/** '' for a pod that is not scheduled. */
export const nodeNameOf = ({ body }: Pod): string => body.spec?.nodeName ?? '';

/**
 * The name of the PersistentVolumeClaim that a volume of the pod uses; that of an ephemeral volume is `{pod}-{volume}`.
 * `undefined` for a volume of another type.
 */
export function claimNameOf(pod: Pick<Pod, 'name'>, { name = '', ephemeral, persistentVolumeClaim }: CoreV1Volume): string | undefined {
  return ephemeral === undefined ? persistentVolumeClaim?.claimName : `${pod.name}-${name}`;
}

/** The names of the PersistentVolumeClaims that the pod uses, in the order of its volumes. */
export const claimNamesOf = (pod: Pod): readonly string[] =>
  (pod.body.spec?.volumes ?? []).flatMap((volume) => claimNameOf(pod, volume) ?? []);

/** Whether all containers have ended for good. */
export const isPodTerminated = ({ body }: Pod): boolean => body.status?.phase === 'Succeeded' || body.status?.phase === 'Failed';

/** The owner reference with `controller: true`. */
export interface ControllerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Absent members of the reference are ''. `undefined` for an object without a controller. */
export function controllerOf({ metadata }: Pick<ApiObject, 'metadata'>): ControllerReference | undefined {
  const reference = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (reference === undefined) return undefined;
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  return { apiVersion, kind, name, uid };
}

export const labelsOf = ({ metadata }: Pick<ApiObject, 'metadata'>): Readonly<Record<string, string>> => metadata.labels ?? {};

/** The `involvedObject` of an Event. */
export function podReference({ namespace, name, uid, resourceVersion }: ApiObject): ObjectReference {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid, resourceVersion };
}
