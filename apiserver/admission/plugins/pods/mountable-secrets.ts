/**
 * Checks the Secrets that a pod references against those that its service account may mount. Returns what is wrong; the
 * caller rejects the pod.
 */
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../../../shared/values/json';

const ENFORCE_ANNOTATION = 'platform.io/enforce-mountable-secrets';
const TRUE_VALUES: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

const objectsAt = (object: JsonObject | undefined, member: string): JsonObject[] => (arrayAt(object, member) ?? []).filter(isObject);

/** With upstream's words for them in messages. */
const CONTAINERS = [
  ['initContainers', 'init container'],
  ['containers', 'container'],
] as const;

/**
 * A mirror pod represents a pod that runs on its node already, so it may not reference objects that exist in the API
 * only.
 */
export function mirrorPodFault(spec: JsonObject): string | undefined {
  if ((stringAt(spec, 'serviceAccountName') ?? '') !== '') return 'a mirror pod may not reference service accounts';
  if (hasSecretReference(spec)) return 'a mirror pod may not reference secrets';
  const usesTokenProjection = objectsAt(spec, 'volumes').some((volume) =>
    objectsAt(objectAt(volume, 'projected'), 'sources').some((source) => own(source, 'serviceAccountToken') !== undefined),
  );
  return usesTokenProjection ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}

/** Volume sources that reference a Secret, and the member of each that does. */
const SECRET_MEMBERS: Readonly<Record<string, string>> = {
  azureFile: 'secretName',
  cephfs: 'secretRef',
  cinder: 'secretRef',
  csi: 'nodePublishSecretRef',
  flexVolume: 'secretRef',
  iscsi: 'secretRef',
  rbd: 'secretRef',
  scaleIO: 'secretRef',
  secret: 'secretName',
  storageos: 'secretRef',
};

function hasSecretReference(spec: JsonObject): boolean {
  if (objectsAt(spec, 'imagePullSecrets').length > 0) return true;
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => objectsAt(spec, list));
  return (
    containers.some((container) => envSecretReferences(container).length > 0 || envFromSecrets(container).length > 0) ||
    objectsAt(spec, 'volumes').some((volume) => {
      const isNamed = Object.entries(SECRET_MEMBERS).some(([member, inner]) => own(objectAt(volume, member) ?? {}, inner) !== undefined);
      return isNamed || objectsAt(objectAt(volume, 'projected'), 'sources').some((source) => own(source, 'secret') !== undefined);
    })
  );
}

const secretName = (reference: JsonObject): string => stringAt(reference, 'name') ?? '';

/** Names of environment variables, and the Secrets that their values come from. */
function envSecretReferences(container: JsonObject): readonly (readonly [variable: string, secret: string])[] {
  return objectsAt(container, 'env').flatMap((variable) => {
    const reference = objectAt(objectAt(variable, 'valueFrom'), 'secretKeyRef');
    return reference === undefined ? [] : [[stringAt(variable, 'name') ?? '', secretName(reference)] as const];
  });
}

const envFromSecrets = (container: JsonObject): readonly string[] =>
  objectsAt(container, 'envFrom').flatMap((source) => {
    const reference = objectAt(source, 'secretRef');
    return reference === undefined ? [] : [secretName(reference)];
  });

/** The first Secret that a container of the list references and that is not allowed. */
function containerFault(spec: JsonObject, list: string, containerType: string, allowed: ReadonlySet<string>): string | undefined {
  for (const container of objectsAt(spec, list)) {
    const shown = `${containerType} ${stringAt(container, 'name') ?? ''}`;
    const variable = envSecretReferences(container).find(([, secret]) => !allowed.has(secret));
    if (variable !== undefined) return `${shown} with envVar ${variable[0]} referencing secret.secretName="${variable[1]}"`;
    const source = envFromSecrets(container).find((secret) => !allowed.has(secret));
    if (source !== undefined) return `${shown} with envFrom referencing secret.secretName="${source}"`;
  }
  return undefined;
}

const notReferenced = (reference: string, account: string): string =>
  `${reference} is not allowed because service account ${account} does not reference that secret`;

/** Checks the ephemeral containers that are added to a running pod. */
export function ephemeralSecretReferenceFault(spec: JsonObject, account: JsonObject): string | undefined {
  if (!isMountableSecretsEnforced(account)) return undefined;
  const fault = containerFault(spec, 'ephemeralContainers', 'ephemeral container', allowedSecrets(account));
  return fault === undefined ? undefined : notReferenced(fault, nameOf(account));
}

const nameOf = (account: JsonObject): string => stringAt(readMetadata(account), 'name') ?? '';
const allowedSecrets = (account: JsonObject): ReadonlySet<string> => new Set(objectsAt(account, 'secrets').map(secretName));

/** Checks a new pod, when its service account enforces mountable secrets. */
export function secretReferenceFault(spec: JsonObject, account: JsonObject): string | undefined {
  if (!isMountableSecretsEnforced(account)) return undefined;
  const name = nameOf(account);
  const allowed = allowedSecrets(account);
  for (const volume of objectsAt(spec, 'volumes')) {
    const secret = stringAt(objectAt(volume, 'secret'), 'secretName');
    if (secret !== undefined && !allowed.has(secret)) return notReferenced(`volume with secret.secretName="${secret}"`, name);
  }
  for (const [list, containerType] of CONTAINERS) {
    const fault = containerFault(spec, list, containerType, allowed);
    if (fault !== undefined) return notReferenced(fault, name);
  }
  return imagePullSecretFault(spec, account, name);
}

function imagePullSecretFault(spec: JsonObject, account: JsonObject, name: string): string | undefined {
  const allowed = new Set(objectsAt(account, 'imagePullSecrets').map(secretName));
  const given = objectsAt(spec, 'imagePullSecrets').map(secretName);
  const index = given.findIndex((secret) => !allowed.has(secret));
  if (index === -1) return undefined;
  return `imagePullSecrets[${index}].name="${given[index] ?? ''}" is not allowed because service account ${name} does not reference that imagePullSecret`;
}

function isMountableSecretsEnforced(account: JsonObject): boolean {
  const annotations = objectAt(readMetadata(account), 'annotations') ?? {};
  return Object.keys(annotations).some(
    (name) => canonicalQualifiedName(name) === ENFORCE_ANNOTATION && TRUE_VALUES.has(stringAt(annotations, name) ?? ''),
  );
}
