/** Extracts the objects that a pod or PersistentVolume references. */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';

export type ReferenceKind = 'secret' | 'configmap' | 'claim' | 'account';

export interface Reference {
  readonly kind: ReferenceKind;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Where volume sources of pods and PersistentVolumes name a Secret: the source, and the member with `name` (and
 * `namespace`).
 */
const SECRET_MEMBERS: readonly (readonly [source: string, member: string])[] = [
  ...['cephfs', 'cinder', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos'].map((source) => [source, 'secretRef'] as const),
  ...['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'].map((member) => ['csi', member] as const),
];

const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'];

/** References of a pod, possibly with duplicates. */
export function podReferences(pod: JsonObject): readonly Reference[] {
  const [metadata, spec] = [objectAt(pod, 'metadata'), objectAt(pod, 'spec')];
  const [namespace, name] = [stringAt(metadata, 'namespace') ?? '', stringAt(metadata, 'name') ?? ''];
  const refer = (kind: ReferenceKind, referenced: string | undefined): readonly Reference[] =>
    referenced === undefined || referenced === '' ? [] : [{ kind, namespace, name: referenced }];
  return [
    ...refer('account', stringAt(spec, 'serviceAccountName')),
    ...objectsAt(spec, 'imagePullSecrets').flatMap((secret) => refer('secret', stringAt(secret, 'name'))),
    ...CONTAINERS.flatMap((member) => objectsAt(spec, member)).flatMap((container) => containerReferences(container, refer)),
    ...objectsAt(spec, 'volumes').flatMap((volume) => volumeReferences(volume, name, refer)),
  ];
}

type Refer = (kind: ReferenceKind, name: string | undefined) => readonly Reference[];

function containerReferences(container: JsonObject, refer: Refer): readonly Reference[] {
  const sources = [
    ...objectsAt(container, 'envFrom').map((source) => [objectAt(source, 'secretRef'), objectAt(source, 'configMapRef')] as const),
    ...objectsAt(container, 'env').map((variable) => {
      const source = objectAt(variable, 'valueFrom');
      return [objectAt(source, 'secretKeyRef'), objectAt(source, 'configMapKeyRef')] as const;
    }),
  ];
  return sources.flatMap(([secret, map]) => [...refer('secret', stringAt(secret, 'name')), ...refer('configmap', stringAt(map, 'name'))]);
}

function volumeReferences(volume: JsonObject, pod: string, refer: Refer): readonly Reference[] {
  const projected = objectsAt(objectAt(volume, 'projected'), 'sources');
  return [
    ...refer('secret', stringAt(objectAt(volume, 'secret'), 'secretName')),
    ...refer('configmap', stringAt(objectAt(volume, 'configMap'), 'name')),
    ...projected.flatMap((source) => [
      ...refer('secret', stringAt(objectAt(source, 'secret'), 'name')),
      ...refer('configmap', stringAt(objectAt(source, 'configMap'), 'name')),
    ]),
    ...refer('claim', stringAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName')),
    // The claim of an ephemeral volume is named after the pod and the volume.
    ...(objectAt(volume, 'ephemeral') === undefined ? [] : refer('claim', `${pod}-${stringAt(volume, 'name') ?? ''}`)),
    ...refer('secret', stringAt(objectAt(volume, 'azureFile'), 'secretName')),
    ...SECRET_MEMBERS.flatMap(([source, member]) => refer('secret', stringAt(objectAt(objectAt(volume, source), member), 'name'))),
  ];
}

export interface VolumeReferences {
  /** The claim that the volume is bound to; `undefined` when it is not bound. */
  readonly claim: Reference | undefined;
  readonly secrets: readonly Reference[];
}

/** A Secret without a namespace is in the namespace of the claim. */
export function volumeReferencesOf(volume: JsonObject): VolumeReferences {
  const spec = objectAt(volume, 'spec');
  const claimRef = objectAt(spec, 'claimRef');
  const [namespace, name] = [stringAt(claimRef, 'namespace') ?? '', stringAt(claimRef, 'name') ?? ''];
  if (name === '') return { claim: undefined, secrets: [] };
  const azure = objectAt(spec, 'azureFile');
  const named = [
    { name: stringAt(azure, 'secretName'), namespace: stringAt(azure, 'secretNamespace') },
    ...SECRET_MEMBERS.map(([source, member]) => {
      const reference = objectAt(objectAt(spec, source), member);
      return { name: stringAt(reference, 'name'), namespace: stringAt(reference, 'namespace') };
    }),
  ];
  return {
    claim: { kind: 'claim', namespace, name },
    secrets: named.flatMap((secret) =>
      secret.name === undefined || secret.name === ''
        ? []
        : [
            {
              kind: 'secret',
              namespace: secret.namespace === undefined || secret.namespace === '' ? namespace : secret.namespace,
              name: secret.name,
            },
          ],
    ),
  };
}

const objectsAt = (object: JsonObject | undefined, member: string): readonly JsonObject[] =>
  (arrayAt(object, member) ?? []).filter(isObject);
