/**
 * Checks the Secrets that a pod references against those that its service account may mount, and that a mirror pod
 * references none. Each check returns an error message, or `undefined` when the pod is acceptable; the caller rejects
 * the pod.
 */
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type {
  CoreV1EphemeralContainer,
  CoreV1LocalObjectReference,
  CoreV1PodSpec,
  CoreV1ServiceAccount,
  CoreV1Volume,
} from '../../../../shared/api/types/generated/members';

const ENFORCE_ANNOTATION = 'platform.io/enforce-mountable-secrets';
/** The texts that Go's `strconv.ParseBool` reads as true. */
const TRUE_VALUES: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Containers of every kind, as far as they can reference Secrets. */
type Container = Pick<CoreV1EphemeralContainer, 'env' | 'envFrom' | 'name'>;

/**
 * Checks a mirror pod. It represents a pod that a kubelet runs already from a file of its node, so it may not reference
 * objects of the API.
 */
export function mirrorPodError(spec: CoreV1PodSpec): string | undefined {
  if ((spec.serviceAccountName ?? '') !== '') return 'a mirror pod may not reference service accounts';
  if (hasSecretReference(spec)) return 'a mirror pod may not reference secrets';
  const usesTokenProjection = spec.volumes?.some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  return usesTokenProjection === true ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}

function hasSecretReference({
  imagePullSecrets = [],
  initContainers = [],
  containers,
  ephemeralContainers = [],
  volumes = [],
}: CoreV1PodSpec): boolean {
  const allContainers: readonly Container[] = [...initContainers, ...(containers ?? []), ...ephemeralContainers];
  return (
    imagePullSecrets.length > 0 ||
    allContainers.some((container) => envSecretReferences(container).length > 0 || envFromSecrets(container).length > 0) ||
    volumes.some(hasSecretSource)
  );
}

/** Whether the volume, of any type, uses a Secret. */
function hasSecretSource(volume: CoreV1Volume): boolean {
  const references = [
    volume.azureFile?.secretName,
    volume.cephfs?.secretRef,
    volume.cinder?.secretRef,
    volume.csi?.nodePublishSecretRef,
    volume.flexVolume?.secretRef,
    volume.iscsi?.secretRef,
    volume.rbd?.secretRef,
    volume.scaleIO?.secretRef,
    volume.secret?.secretName,
    volume.storageos?.secretRef,
  ];
  const projectsSecret = volume.projected?.sources?.some(({ secret }) => secret !== undefined) === true;
  return projectsSecret || references.some((reference) => reference !== undefined);
}

/** Checks a new pod. Returns `undefined` unless the service account enforces its list of mountable secrets. */
export function secretReferenceError(spec: CoreV1PodSpec, account: CoreV1ServiceAccount): string | undefined {
  if (!isMountableSecretsEnforced(account)) return undefined;
  const name = nameOf(account);
  const allowed = allowedSecrets(account);
  for (const volume of spec.volumes ?? []) {
    const secret = volume.secret?.secretName;
    if (secret !== undefined && !allowed.has(secret)) return notAllowedError(`volume with secret.secretName="${secret}"`, name);
  }
  const error = containerError(spec.initContainers, 'init container', allowed) ?? containerError(spec.containers, 'container', allowed);
  if (error !== undefined) return notAllowedError(error, name);
  return imagePullSecretError(spec, account, name);
}

/** The error about the first pull secret that the account does not reference. */
function imagePullSecretError(spec: CoreV1PodSpec, account: CoreV1ServiceAccount, name: string): string | undefined {
  const allowed = new Set(namesOf(account.imagePullSecrets));
  const secrets = namesOf(spec.imagePullSecrets);
  const index = secrets.findIndex((secret) => !allowed.has(secret));
  if (index === -1) return undefined;
  return `imagePullSecrets[${index}].name="${secrets[index] ?? ''}" is not allowed because service account ${name} does not reference that imagePullSecret`;
}

/** As {@link secretReferenceError}, for the ephemeral containers that are added to a running pod. */
export function ephemeralSecretReferenceError(spec: CoreV1PodSpec, account: CoreV1ServiceAccount): string | undefined {
  if (!isMountableSecretsEnforced(account)) return undefined;
  const error = containerError(spec.ephemeralContainers, 'ephemeral container', allowedSecrets(account));
  return error === undefined ? undefined : notAllowedError(error, nameOf(account));
}

function isMountableSecretsEnforced({ metadata }: CoreV1ServiceAccount): boolean {
  return Object.entries(metadata?.annotations ?? {}).some(
    ([name, value]) => canonicalQualifiedName(name) === ENFORCE_ANNOTATION && TRUE_VALUES.has(value),
  );
}

const nameOf = ({ metadata }: CoreV1ServiceAccount): string => metadata?.name ?? '';
const namesOf = (references: readonly CoreV1LocalObjectReference[] = []): readonly string[] => references.map(({ name = '' }) => name);
const allowedSecrets = ({ secrets }: CoreV1ServiceAccount): ReadonlySet<string> => new Set(namesOf(secrets));

/** The start of the error about the first Secret outside `allowed` that a container references. `containerType`: for messages. */
function containerError(
  containers: readonly Container[] | null | undefined,
  containerType: string,
  allowed: ReadonlySet<string>,
): string | undefined {
  for (const container of containers ?? []) {
    const subject = `${containerType} ${container.name ?? ''}`;
    const reference = envSecretReferences(container).find(({ secret }) => !allowed.has(secret));
    if (reference !== undefined) return `${subject} with envVar ${reference.variable} referencing secret.secretName="${reference.secret}"`;
    const envFromSecret = envFromSecrets(container).find((secret) => !allowed.has(secret));
    if (envFromSecret !== undefined) return `${subject} with envFrom referencing secret.secretName="${envFromSecret}"`;
  }
  return undefined;
}

/** The Secrets that values of environment variables come from. */
const envSecretReferences = ({ env = [] }: Container): readonly { readonly variable: string; readonly secret: string }[] =>
  env.flatMap(({ name = '', valueFrom }) => {
    const reference = valueFrom?.secretKeyRef;
    return reference === undefined ? [] : [{ variable: name, secret: reference.name ?? '' }];
  });

/** The Secrets of which all keys become environment variables. */
const envFromSecrets = ({ envFrom = [] }: Container): readonly string[] =>
  envFrom.flatMap(({ secretRef }) => (secretRef === undefined ? [] : [secretRef.name ?? '']));

const notAllowedError = (reference: string, account: string): string =>
  `${reference} is not allowed because service account ${account} does not reference that secret`;
