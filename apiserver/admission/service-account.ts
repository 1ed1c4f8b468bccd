/**
 * Every pod runs as a service account, which has to exist: the pod gets the account's pull secrets and, unless it or the account says otherwise, a volume with a token
 * of its own. Pods that mirror what a node runs anyway have neither account nor secrets.
 */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { canonicalQualifiedName, type GeneratedNames } from '../../shared/names/dialect';
import { WORKLOAD_NAMES } from '../../shared/names/workload';
import type { Random } from '../../shared/runtime/random';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import { parseEntry } from '../registry/object/stored-object';
import type { AdmissionTarget, AdmissionRequest } from '../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from './chain';
import { NEW_PODS, podMutation, podValidation, refused } from './pod-creation';
import { checkEphemeralSecrets, checkSecrets, mirrorFault } from './pod-secrets';

export interface ServiceAccountParts {
  readonly names: Pick<GeneratedNames, 'dialect'>;
  readonly random: Pick<Random, 'string'>;
  /** By namespace and name. */
  readonly account: (namespace: string, name: string) => Entry | undefined;
}

const MIRROR = 'platform.io/config.mirror';
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
/** A little more than an hour, by which others tell these tokens from those that a pod asks for itself. */
const TOKEN_SECONDS = 3607;
const READABLE = 0o644;

const NAME = 'ServiceAccount';

export function serviceAccount(parts: ServiceAccountParts): { readonly mutating: MutatingPlugin; readonly validating: ValidatingPlugin } {
  return {
    mutating: podMutation(NAME, NEW_PODS, (request, spec) => {
      if (isMirror(request.object)) refuseMirror(request, spec);
      else equip(parts, spec, nameAccount(parts, request, spec));
    }),
    validating: withEphemeral(
      podValidation(NAME, NEW_PODS, (request, spec) => {
        if (isMirror(request.object)) refuseMirror(request, spec);
        else refuseSecrets(parts, request, spec, checkSecrets);
      }),
      (request, spec) => {
        if (!isMirror(request.object)) refuseSecrets(parts, request, spec, checkEphemeralSecrets);
      },
    ),
  };
}

type Judge = (request: AdmissionRequest, spec: JsonObject) => void;

/** Ephemeral containers are judged as well; all else of a pod that runs was judged when it was created. */
function withEphemeral(plugin: ValidatingPlugin, judge: Judge): ValidatingPlugin {
  const isEphemeral = ({ operation, resource: { row }, subresource }: AdmissionTarget): boolean =>
    operation === 'UPDATE' && row.group === '' && row.resource === 'pods' && subresource === 'ephemeralcontainers';
  return {
    ...plugin,
    handles: (operation) => operation === 'UPDATE' || plugin.handles(operation),
    inspectsObject: (question) =>
      isEphemeral(question) || (plugin.handles(question.operation) && plugin.inspectsObject?.(question) !== false),
    validate(request) {
      if (isEphemeral(request)) {
        judge(request, objectAt(request.object, 'spec') ?? {});
        return undefined;
      }
      return plugin.handles(request.operation) ? plugin.validate(request) : undefined;
    },
  };
}

function refuseSecrets(parts: ServiceAccountParts, request: AdmissionRequest, spec: JsonObject, check: typeof checkSecrets): void {
  const fault = check(spec, accountOf(parts, request, spec));
  if (fault !== undefined) throw refused(request, fault);
}

function isMirror(pod: JsonObject | undefined): boolean {
  const annotations = objectAt(readMetadata(pod ?? {}), 'annotations') ?? {};
  return Object.keys(annotations).some((name) => canonicalQualifiedName(name) === MIRROR);
}

function refuseMirror(request: AdmissionRequest, spec: JsonObject): void {
  const fault = mirrorFault(spec);
  if (fault !== undefined) throw refused(request, fault);
}

function nameAccount(parts: ServiceAccountParts, request: AdmissionRequest, spec: JsonObject): JsonObject {
  if ((stringAt(spec, 'serviceAccountName') ?? '') === '') spec['serviceAccountName'] = 'default';
  spec['serviceAccount'] = spec['serviceAccountName'] ?? 'default';
  return accountOf(parts, request, spec);
}

function accountOf({ account }: ServiceAccountParts, request: AdmissionRequest, spec: JsonObject): JsonObject {
  const name = stringAt(spec, 'serviceAccountName') ?? '';
  const { namespace } = request;
  const entry = account(namespace, name);
  if (entry === undefined)
    throw refused(request, `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`);
  return parseEntry(entry).object;
}

function equip(parts: ServiceAccountParts, spec: JsonObject, account: JsonObject): void {
  const wish = own(spec, 'automountServiceAccountToken') ?? own(account, 'automountServiceAccountToken') ?? true;
  if (wish === true) mountToken(parts, spec);
  if ((arrayAt(spec, 'imagePullSecrets') ?? []).length > 0) return;
  const secrets = (arrayAt(account, 'imagePullSecrets') ?? []).filter(isObject);
  if (secrets.length > 0) spec['imagePullSecrets'] = secrets.map((secret) => ({ name: stringAt(secret, 'name') ?? '' }));
}

/** In every container that mounts nothing in its place. */
function mountToken({ names: { dialect }, random }: ServiceAccountParts, spec: JsonObject): void {
  const { tokenFolder, rootCertificateConfigMap, tokenVolumePrefix } = WORKLOAD_NAMES[dialect];
  const containers = ['initContainers', 'containers'].flatMap((list) => (arrayAt(spec, list) ?? []).filter(isObject));
  const without = containers.filter((container) => !mounts(container).some((mount) => stringAt(mount, 'mountPath') === tokenFolder));
  if (without.length === 0) return;
  const volumes = (arrayAt(spec, 'volumes') ?? []).filter(isObject);
  const present = volumes.map((volume) => stringAt(volume, 'name') ?? '').find((name) => name.startsWith(tokenVolumePrefix));
  const name = present ?? tokenVolumePrefix + random.string(5, ALPHABET);
  for (const container of without) container['volumeMounts'] = [...mounts(container), { name, readOnly: true, mountPath: tokenFolder }];
  if (present === undefined) spec['volumes'] = [...volumes, tokenVolumeOf(name, rootCertificateConfigMap)];
}

const mounts = (container: JsonObject): JsonObject[] => (arrayAt(container, 'volumeMounts') ?? []).filter(isObject);

const tokenVolumeOf = (name: string, rootCertificate: string): JsonObject => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
      { configMap: { name: rootCertificate, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
    ],
    defaultMode: READABLE,
  },
});
