/**
 * Decides which claims a pod's generic ephemeral volumes need. A pod uses only a claim that it controls, so a claim of
 * the name with another controller is a conflict. The functions are pure.
 */
import type { CoreV1PersistentVolumeClaim, CoreV1PersistentVolumeClaimTemplate } from '../../shared/api/types/generated/members';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import type { Claim, Pod } from '../../shared/client/rest/typed-objects';
import { claimNameOf, controllerOf } from '../runtime/pods';

/** A generic ephemeral volume of a pod. */
export interface EphemeralVolume {
  /** The name of the volume in the pod's spec. */
  readonly name: string;
  readonly claimName: string;
  readonly template: CoreV1PersistentVolumeClaimTemplate;
}

/** What is done for a volume. */
export type EphemeralVolumeAction =
  | { readonly type: 'none' }
  | { readonly type: 'create'; readonly claim: CoreV1PersistentVolumeClaim }
  /** Another object owns the claim of that name. */
  | { readonly type: 'conflict' };

/** The volumes in the order of the spec; empty for a pod without generic ephemeral volumes. */
export function ephemeralVolumesOf(pod: Pod): readonly EphemeralVolume[] {
  return (pod.body.spec?.volumes ?? []).flatMap((volume) => {
    const { name = '', ephemeral } = volume;
    const template = ephemeral?.volumeClaimTemplate;
    const claimName = claimNameOf(pod, volume);
    return template === undefined || claimName === undefined ? [] : [{ name, claimName, template }];
  });
}

/** `existing`: the claim of that name; undefined when there is none. */
export function reconcileVolume(pod: Pod, volume: EphemeralVolume, existing: Claim | undefined): EphemeralVolumeAction {
  if (isBeingDeleted(pod)) return { type: 'none' };
  if (existing === undefined) return { type: 'create', claim: claimFor(pod, volume) };
  return controllerOf(existing)?.uid === pod.uid ? { type: 'none' } : { type: 'conflict' };
}

function claimFor({ namespace, name, uid }: Pod, { claimName, template }: EphemeralVolume): CoreV1PersistentVolumeClaim {
  const { labels, annotations } = template.metadata ?? {};
  return {
    metadata: {
      namespace,
      name: claimName,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: { ...template.spec },
  };
}
