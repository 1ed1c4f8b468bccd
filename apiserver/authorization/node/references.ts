/**
 * Extracts the objects that a pod or PersistentVolume references, so that the Node authorizer allows a node to read
 * them. Whether a node may read what it finds here is left to the graph; nothing is looked up.
 */
import type {
  CoreV1EphemeralContainer,
  CoreV1PersistentVolume,
  CoreV1PersistentVolumeSpec,
  CoreV1Pod,
  CoreV1SecretReference,
  CoreV1Volume,
} from '../../../shared/api/types/generated/members';

/** The kinds of objects that pods reference. A `claim` is a PersistentVolumeClaim, an `account` a ServiceAccount. */
export type ReferenceKind = 'secret' | 'configmap' | 'claim' | 'account';

/** An object that a pod or a PersistentVolume refers to. */
export interface Reference {
  readonly kind: ReferenceKind;
  readonly namespace: string;
  readonly name: string;
}

/** The references of a pod; an object that it names twice may occur twice. */
export function podReferences({ metadata, spec = {} }: CoreV1Pod): readonly Reference[] {
  const { namespace = '', name = '' } = metadata ?? {};
  // Pods refer to objects of their own namespace.
  const refer: Refer = (kind, referenced) => (referenced ? [{ kind, namespace, name: referenced }] : []);
  const containers: readonly CoreV1EphemeralContainer[] = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ];
  return [
    ...refer('account', spec.serviceAccountName),
    ...(spec.imagePullSecrets ?? []).flatMap((secret) => refer('secret', secret.name)),
    ...containers.flatMap((container) => containerReferences(container, refer)),
    ...(spec.volumes ?? []).flatMap((volume) => podVolumeReferences(volume, name, refer)),
  ];
}

/** Returns the reference to an object of this name; nothing when the name is absent or empty. */
type Refer = (kind: ReferenceKind, name: string | undefined) => readonly Reference[];

function containerReferences({ envFrom = [], env = [] }: CoreV1EphemeralContainer, refer: Refer): readonly Reference[] {
  return [
    ...envFrom.flatMap(({ secretRef, configMapRef }) => [...refer('secret', secretRef?.name), ...refer('configmap', configMapRef?.name)]),
    ...env.flatMap(({ valueFrom }) => [
      ...refer('secret', valueFrom?.secretKeyRef?.name),
      ...refer('configmap', valueFrom?.configMapKeyRef?.name),
    ]),
  ];
}

/** `pod` is the name of the pod. */
function podVolumeReferences(volume: CoreV1Volume, pod: string, refer: Refer): readonly Reference[] {
  return [
    ...refer('configmap', volume.configMap?.name),
    ...(volume.projected?.sources ?? []).flatMap(({ secret, configMap }) => [
      ...refer('secret', secret?.name),
      ...refer('configmap', configMap?.name),
    ]),
    ...refer('claim', volume.persistentVolumeClaim?.claimName),
    // The claim of an ephemeral volume is named after the pod and the volume.
    ...(volume.ephemeral === undefined ? [] : refer('claim', `${pod}-${volume.name ?? ''}`)),
    ...secretsOfPodVolume(volume).flatMap((secret) => refer('secret', secret)),
  ];
}

/** The names of the Secrets with which a volume is mounted, for each type of volume; `undefined` for the other types. */
const secretsOfPodVolume = (volume: CoreV1Volume): readonly (string | undefined)[] => [
  volume.secret?.secretName,
  volume.azureFile?.secretName,
  volume.cephfs?.secretRef?.name,
  volume.cinder?.secretRef?.name,
  volume.csi?.nodePublishSecretRef?.name,
  volume.flexVolume?.secretRef?.name,
  volume.iscsi?.secretRef?.name,
  volume.rbd?.secretRef?.name,
  volume.scaleIO?.secretRef?.name,
  volume.storageos?.secretRef?.name,
];

/** The objects that a PersistentVolume refers to; none when it is not bound. */
export interface PersistentVolumeReferences {
  /** The claim that the volume is bound to. */
  readonly claim: Reference | undefined;
  readonly secrets: readonly Reference[];
}

/** The references of a PersistentVolume. A Secret without a namespace is in the namespace of the claim. */
export function persistentVolumeReferences({ spec = {} }: CoreV1PersistentVolume): PersistentVolumeReferences {
  const { namespace = '', name = '' } = spec.claimRef ?? {};
  if (name === '') return { claim: undefined, secrets: [] };
  return {
    claim: { kind: 'claim', namespace, name },
    secrets: secretsOfPersistentVolume(spec).flatMap((secret) =>
      secret?.name ? [{ kind: 'secret', namespace: secret.namespace || namespace, name: secret.name }] : [],
    ),
  };
}

/**
 * The Secrets with which a volume is mounted, for each type of volume: absent for the other types, `null` where the API
 * allows it.
 */
const secretsOfPersistentVolume = (spec: CoreV1PersistentVolumeSpec): readonly (CoreV1SecretReference | null | undefined)[] => [
  spec.azureFile && { name: spec.azureFile.secretName ?? '', namespace: spec.azureFile.secretNamespace ?? '' },
  spec.cephfs?.secretRef,
  spec.cinder?.secretRef,
  spec.csi?.nodePublishSecretRef,
  spec.csi?.nodeStageSecretRef,
  spec.csi?.nodeExpandSecretRef,
  spec.flexVolume?.secretRef,
  spec.iscsi?.secretRef,
  spec.rbd?.secretRef,
  spec.scaleIO?.secretRef,
  spec.storageos?.secretRef,
];
