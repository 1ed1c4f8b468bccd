/**
 * ServiceAccount: requires the service account of a pod to exist. Adds the pull secrets of the account to a pod without
 * any. Mounts a bound token, unless `automountServiceAccountToken` is false in the pod or, when the pod does not set it,
 * in the account. Rejects mirror pods with a service account or secrets.
 */
import { canonicalQualifiedName, type GeneratedNames } from '../../../../shared/names/dialect';
import { WORKLOAD_NAMES } from '../../../../shared/names/workload';
import type { Random } from '../../../../shared/runtime/random';
import type {
  CoreV1Container,
  CoreV1Pod,
  CoreV1PodSpec,
  CoreV1ServiceAccount,
  CoreV1Volume,
  CoreV1VolumeMount,
} from '../../../../shared/api/types/generated/members';
import type { Entry } from '../../../cache/cache';
import { parseEntry } from '../../../registry/object/stored-object';
import type { AdmissionTarget, AdmissionRequest } from '../../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../../chain';
import { newForbidden } from '../../new-forbidden';
import { ON_CREATE, podMutatingPlugin, podValidatingPlugin } from '../../pod-plugin';
import { ephemeralSecretReferenceError, secretReferenceError, mirrorPodError } from './mountable-secrets';

/** The accounts, and the source of names for volumes. */
export interface ServiceAccountDependencies {
  readonly names: Pick<GeneratedNames, 'dialect'>;
  readonly random: Pick<Random, 'string'>;
  /** From this replica's cache. */
  readonly getAccount: (namespace: string, name: string) => Entry | undefined;
}

const MIRROR_ANNOTATION = 'platform.io/config.mirror';
/** The characters of generated names: no vowels, which could form words, and no digits that resemble letters. */
const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const NAME_SUFFIX_LENGTH = 5;
/** Upstream's value, an hour and seven seconds: other components recognize automounted tokens by it. */
const TOKEN_SECONDS = 3607;
/** Permissions of the files in the token volume. */
const VOLUME_MODE = 0o644;

const NAME = 'ServiceAccount';

/**
 * The mutating half completes new pods. The validating half checks the Secrets of new pods, and those of ephemeral
 * containers that are added to a running pod.
 */
export function serviceAccount(deps: ServiceAccountDependencies): {
  readonly mutating: MutatingPlugin;
  readonly validating: ValidatingPlugin;
} {
  return {
    mutating: podMutatingPlugin(NAME, ON_CREATE, (request, spec) => {
      if (isMirrorPod(request.object)) rejectInvalidMirrorPod(request, spec);
      else applyAccount(deps, spec, setAccount(deps, request, spec));
    }),
    validating: withEphemeralContainers(
      podValidatingPlugin(NAME, ON_CREATE, (request, spec) => {
        if (isMirrorPod(request.object)) rejectInvalidMirrorPod(request, spec);
        else rejectSecretReferences(deps, request, spec, secretReferenceError);
      }),
      (request, spec) => {
        if (!isMirrorPod(request.object)) rejectSecretReferences(deps, request, spec, ephemeralSecretReferenceError);
      },
    ),
  };
}

/** Throws to reject the pod. */
type CheckPodSpec = (request: AdmissionRequest<CoreV1Pod>, spec: CoreV1PodSpec) => void;

/**
 * The plug-in, extended by a check of updates of the subresource `ephemeralcontainers`. The rest of a running pod was
 * checked at creation.
 */
function withEphemeralContainers(plugin: ValidatingPlugin, check: CheckPodSpec): ValidatingPlugin {
  const isEphemeralContainersRequest = ({ operation, resource: { row }, subresource }: AdmissionTarget): boolean =>
    operation === 'UPDATE' && row.group === '' && row.resource === 'pods' && subresource === 'ephemeralcontainers';
  return {
    ...plugin,
    handles: (operation) => operation === 'UPDATE' || plugin.handles(operation),
    inspectsObject: (target) =>
      isEphemeralContainersRequest(target) || (plugin.handles(target.operation) && plugin.inspectsObject?.(target) !== false),
    validate(request) {
      if (isEphemeralContainersRequest(request)) {
        const podRequest: AdmissionRequest<CoreV1Pod> = request;
        check(podRequest, podRequest.object?.spec ?? {});
        return undefined;
      }
      return plugin.handles(request.operation) ? plugin.validate(request) : undefined;
    },
  };
}

/** Throws when `findError` finds an error in the references to Secrets. */
function rejectSecretReferences(
  deps: ServiceAccountDependencies,
  request: AdmissionRequest,
  spec: CoreV1PodSpec,
  findError: typeof secretReferenceError,
): void {
  const error = findError(spec, requireAccount(deps, request, spec));
  if (error !== undefined) throw newForbidden(request, error);
}

function isMirrorPod(pod: CoreV1Pod | undefined): boolean {
  return Object.keys(pod?.metadata?.annotations ?? {}).some((name) => canonicalQualifiedName(name) === MIRROR_ANNOTATION);
}

function rejectInvalidMirrorPod(request: AdmissionRequest, spec: CoreV1PodSpec): void {
  const error = mirrorPodError(spec);
  if (error !== undefined) throw newForbidden(request, error);
}

/** Sets the account of the pod, by default `default`, and returns it. Throws when the account does not exist. */
function setAccount(deps: ServiceAccountDependencies, request: AdmissionRequest, spec: CoreV1PodSpec): CoreV1ServiceAccount {
  spec.serviceAccountName = spec.serviceAccountName || 'default';
  spec.serviceAccount = spec.serviceAccountName;
  return requireAccount(deps, request, spec);
}

/** The account of the pod. Throws when it does not exist. */
function requireAccount({ getAccount }: ServiceAccountDependencies, request: AdmissionRequest, spec: CoreV1PodSpec): CoreV1ServiceAccount {
  const { serviceAccountName: name = '' } = spec;
  const { namespace } = request;
  const entry = getAccount(namespace, name);
  if (entry === undefined)
    throw newForbidden(request, `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`);
  return parseEntry(entry).object;
}

/** Mounts a token and adds pull secrets, as the account and the pod determine. */
function applyAccount(deps: ServiceAccountDependencies, spec: CoreV1PodSpec, account: CoreV1ServiceAccount): void {
  const { automountServiceAccountToken: accountDefault = true, imagePullSecrets: secrets = [] } = account;
  if (spec.automountServiceAccountToken ?? accountDefault) mountToken(deps, spec);
  if ((spec.imagePullSecrets ?? []).length > 0) return;
  if (secrets.length > 0) spec.imagePullSecrets = secrets.map(({ name = '' }) => ({ name }));
}

/**
 * Mounts a token in every container without another mount at the path of the token. Uses the token volume of the pod if
 * it has one, else adds a volume.
 */
function mountToken({ names: { dialect }, random }: ServiceAccountDependencies, spec: CoreV1PodSpec): void {
  const { tokenFolder, rootCertificateConfigMap, tokenVolumePrefix } = WORKLOAD_NAMES[dialect];
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const withoutMount = containers.filter(({ volumeMounts = [] }) => !volumeMounts.some(({ mountPath }) => mountPath === tokenFolder));
  if (withoutMount.length === 0) return;
  const { volumes = [] } = spec;
  const existingName = volumes.find(({ name = '' }) => name.startsWith(tokenVolumePrefix))?.name;
  const name = existingName ?? tokenVolumePrefix + random.string(NAME_SUFFIX_LENGTH, NAME_ALPHABET);
  for (const container of withoutMount) addMount(container, { name, readOnly: true, mountPath: tokenFolder });
  if (existingName === undefined) spec.volumes = [...volumes, tokenVolumeOf(name, rootCertificateConfigMap)];
}

function addMount(container: CoreV1Container, mount: CoreV1VolumeMount): void {
  container.volumeMounts = [...(container.volumeMounts ?? []), mount];
}

const tokenVolumeOf = (name: string, rootCertificate: string): CoreV1Volume => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
      { configMap: { name: rootCertificate, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
    ],
    defaultMode: VOLUME_MODE,
  },
});
