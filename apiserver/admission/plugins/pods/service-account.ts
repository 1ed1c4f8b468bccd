/**
 * ServiceAccount: requires the service account of a pod to exist, adds its pull secrets, and mounts a bound token
 * unless pod or account disable that. Mirror pods may have neither service account nor secrets.
 */
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { canonicalQualifiedName, type GeneratedNames } from '../../../../shared/names/dialect';
import { WORKLOAD_NAMES } from '../../../../shared/names/workload';
import type { Random } from '../../../../shared/runtime/random';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../../../shared/values/json';
import type { Entry } from '../../../cache/cache';
import { parseEntry } from '../../../registry/object/stored-object';
import type { AdmissionTarget, AdmissionRequest } from '../../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../../chain';
import { ON_CREATE, podMutatingPlugin, podValidatingPlugin, newForbidden } from '../../pod-plugin';
import { ephemeralSecretReferenceFault, secretReferenceFault, mirrorPodFault } from './mountable-secrets';

export interface ServiceAccountDependencies {
  readonly names: Pick<GeneratedNames, 'dialect'>;
  readonly random: Pick<Random, 'string'>;
  /** From this replica's cache. */
  readonly getAccount: (namespace: string, name: string) => Entry | undefined;
}

const MIRROR_ANNOTATION = 'platform.io/config.mirror';
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
/** A little more than an hour: other components recognize automounted tokens by this value. */
const TOKEN_SECONDS = 3607;
const VOLUME_MODE = 0o644;

const NAME = 'ServiceAccount';

export function serviceAccount(deps: ServiceAccountDependencies): {
  readonly mutating: MutatingPlugin;
  readonly validating: ValidatingPlugin;
} {
  return {
    mutating: podMutatingPlugin(NAME, ON_CREATE, (request, spec) => {
      if (isMirrorPod(request.object)) rejectInvalidMirrorPod(request, spec);
      else applyAccount(deps, spec, resolveAccount(deps, request, spec));
    }),
    validating: withEphemeralContainers(
      podValidatingPlugin(NAME, ON_CREATE, (request, spec) => {
        if (isMirrorPod(request.object)) rejectInvalidMirrorPod(request, spec);
        else rejectSecretReferences(deps, request, spec, secretReferenceFault);
      }),
      (request, spec) => {
        if (!isMirrorPod(request.object)) rejectSecretReferences(deps, request, spec, ephemeralSecretReferenceFault);
      },
    ),
  };
}

type CheckPodSpec = (request: AdmissionRequest, spec: JsonObject) => void;

/** Also checks ephemeral containers; the rest of a running pod was checked at creation. */
function withEphemeralContainers(plugin: ValidatingPlugin, check: CheckPodSpec): ValidatingPlugin {
  const isEphemeralContainersRequest = ({ operation, resource: { row }, subresource }: AdmissionTarget): boolean =>
    operation === 'UPDATE' && row.group === '' && row.resource === 'pods' && subresource === 'ephemeralcontainers';
  return {
    ...plugin,
    handles: (operation) => operation === 'UPDATE' || plugin.handles(operation),
    inspectsObject: (question) =>
      isEphemeralContainersRequest(question) || (plugin.handles(question.operation) && plugin.inspectsObject?.(question) !== false),
    validate(request) {
      if (isEphemeralContainersRequest(request)) {
        check(request, objectAt(request.object, 'spec') ?? {});
        return undefined;
      }
      return plugin.handles(request.operation) ? plugin.validate(request) : undefined;
    },
  };
}

function rejectSecretReferences(
  deps: ServiceAccountDependencies,
  request: AdmissionRequest,
  spec: JsonObject,
  findFault: typeof secretReferenceFault,
): void {
  const fault = findFault(spec, requireAccount(deps, request, spec));
  if (fault !== undefined) throw newForbidden(request, fault);
}

function isMirrorPod(pod: JsonObject | undefined): boolean {
  const annotations = objectAt(readMetadata(pod ?? {}), 'annotations') ?? {};
  return Object.keys(annotations).some((name) => canonicalQualifiedName(name) === MIRROR_ANNOTATION);
}

function rejectInvalidMirrorPod(request: AdmissionRequest, spec: JsonObject): void {
  const fault = mirrorPodFault(spec);
  if (fault !== undefined) throw newForbidden(request, fault);
}

function resolveAccount(deps: ServiceAccountDependencies, request: AdmissionRequest, spec: JsonObject): JsonObject {
  if ((stringAt(spec, 'serviceAccountName') ?? '') === '') spec['serviceAccountName'] = 'default';
  spec['serviceAccount'] = spec['serviceAccountName'] ?? 'default';
  return requireAccount(deps, request, spec);
}

function requireAccount({ getAccount }: ServiceAccountDependencies, request: AdmissionRequest, spec: JsonObject): JsonObject {
  const name = stringAt(spec, 'serviceAccountName') ?? '';
  const { namespace } = request;
  const entry = getAccount(namespace, name);
  if (entry === undefined)
    throw newForbidden(request, `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`);
  return parseEntry(entry).object;
}

function applyAccount(deps: ServiceAccountDependencies, spec: JsonObject, account: JsonObject): void {
  const automount = own(spec, 'automountServiceAccountToken') ?? own(account, 'automountServiceAccountToken') ?? true;
  if (automount === true) mountToken(deps, spec);
  if ((arrayAt(spec, 'imagePullSecrets') ?? []).length > 0) return;
  const secrets = (arrayAt(account, 'imagePullSecrets') ?? []).filter(isObject);
  if (secrets.length > 0) spec['imagePullSecrets'] = secrets.map((secret) => ({ name: stringAt(secret, 'name') ?? '' }));
}

/** In every container that has no other mount at the token's path. */
function mountToken({ names: { dialect }, random }: ServiceAccountDependencies, spec: JsonObject): void {
  const { tokenFolder, rootCertificateConfigMap, tokenVolumePrefix } = WORKLOAD_NAMES[dialect];
  const containers = ['initContainers', 'containers'].flatMap((list) => (arrayAt(spec, list) ?? []).filter(isObject));
  const withoutMount = containers.filter(
    (container) => !volumeMounts(container).some((mount) => stringAt(mount, 'mountPath') === tokenFolder),
  );
  if (withoutMount.length === 0) return;
  const volumes = (arrayAt(spec, 'volumes') ?? []).filter(isObject);
  const existingName = volumes.map((volume) => stringAt(volume, 'name') ?? '').find((name) => name.startsWith(tokenVolumePrefix));
  const name = existingName ?? tokenVolumePrefix + random.string(5, ALPHABET);
  for (const container of withoutMount)
    container['volumeMounts'] = [...volumeMounts(container), { name, readOnly: true, mountPath: tokenFolder }];
  if (existingName === undefined) spec['volumes'] = [...volumes, tokenVolumeOf(name, rootCertificateConfigMap)];
}

const volumeMounts = (container: JsonObject): JsonObject[] => (arrayAt(container, 'volumeMounts') ?? []).filter(isObject);

const tokenVolumeOf = (name: string, rootCertificate: string): JsonObject => ({
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
