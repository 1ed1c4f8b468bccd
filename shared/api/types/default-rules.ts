/**
 * Defaults that depend on other fields, as a function for each type; defaults.ts applies them. A rule runs after the
 * default values of its type (default-values.ts) and before the defaults of the types of its fields.
 */
import { arrayAt, cloneJson, isObject, objectAt, setMember, stringAt, type JsonObject } from '../../values/json';
import { DEFINITION_RULES } from './default-rules/definitions';
import { POLICY_RULES } from './default-rules/policies';
import { isZero, objectsAt, type DefaultRule } from './default-rules/rule';
import { WORKLOAD_RULES } from './default-rules/workloads';
import { schemaOf } from './tables';

/** Default of `sessionAffinityConfig.clientIP.timeoutSeconds` in the API: three hours. */
const CLIENT_IP_TIMEOUT_SECONDS = 10_800;

/** The rules of this file and of the folder default-rules, by type. */
export const DEFAULT_RULES: Readonly<Record<string, DefaultRule>> = {
  ...WORKLOAD_RULES,
  ...POLICY_RULES,
  ...DEFINITION_RULES,
  'core.v1.Container': defaultPullPolicy,
  'core.v1.EphemeralContainer': defaultPullPolicy,
  'core.v1.LimitRangeItem': (item) => {
    if (item['type'] !== 'Container') return;
    const limits = { ...objectAt(item, 'max'), ...objectAt(item, 'default') };
    const requests = { ...objectAt(item, 'min'), ...limits, ...objectAt(item, 'defaultRequest') };
    if (Object.keys(limits).length > 0) item['default'] = limits;
    if (Object.keys(requests).length > 0) item['defaultRequest'] = requests;
  },
  'core.v1.NodeStatus': (status) => {
    if (status['allocatable'] === undefined && isObject(status['capacity'])) status['allocatable'] = cloneJson(status['capacity']);
  },
  'core.v1.PersistentVolume': (volume) => {
    // Not a rule of the spec type: the spec of an inline volume (VolumeAttachment) has no such defaults.
    const spec = objectAt(volume, 'spec');
    if (spec === undefined) return;
    if (isZero(spec['persistentVolumeReclaimPolicy'])) spec['persistentVolumeReclaimPolicy'] = 'Retain';
    if (spec['volumeMode'] === undefined || spec['volumeMode'] === null) spec['volumeMode'] = 'Filesystem';
  },
  'core.v1.Pod': defaultPod,
  'core.v1.PodSpec': (spec) => {
    // `serviceAccount` is the deprecated name of `serviceAccountName`; the newer name wins.
    const account = stringAt(spec, 'serviceAccountName') ?? stringAt(spec, 'serviceAccount');
    if (account !== undefined) Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  },
  'core.v1.Secret': (secret) => {
    // Write-only: `stringData` is merged over `data` and never stored.
    const texts = objectAt(secret, 'stringData');
    delete secret['stringData'];
    if (texts === undefined) return;
    const data: JsonObject = objectAt(secret, 'data') ?? {};
    for (const [key, value] of Object.entries(texts))
      setMember(data, key, Buffer.from(typeof value === 'string' ? value : '').toString('base64'));
    secret['data'] = data;
  },
  'core.v1.Service': (service) => {
    if (stringAt(objectAt(service, 'spec'), 'type') !== 'LoadBalancer') return;
    for (const ingress of objectsAt(objectAt(objectAt(service, 'status'), 'loadBalancer'), 'ingress')) {
      if (!isZero(ingress['ip']) && ingress['ipMode'] === undefined) ingress['ipMode'] = 'VIP';
    }
  },
  'core.v1.ServicePort': (port) => {
    if (isZero(port['targetPort'])) port['targetPort'] = port['port'] ?? 0;
  },
  'core.v1.ServiceSpec': defaultServiceSpec,
  'core.v1.Volume': (volume) => {
    const sources = schemaOf('core.v1.VolumeSource').fields;
    if (sources.every((source) => volume[source.name] === undefined)) volume['emptyDir'] = {};
  },
};

/** As in upstream, these defaults apply to pods only, not to the pod templates of workloads. */
function defaultPod(pod: JsonObject): void {
  const spec = objectAt(pod, 'spec');
  if (spec === undefined) return;
  if (spec['enableServiceLinks'] === undefined || spec['enableServiceLinks'] === null) spec['enableServiceLinks'] = true;
  for (const container of containersOf(spec)) defaultRequestsFromLimits(container);
  if (spec['hostNetwork'] !== true) return;
  for (const container of containersOf(spec)) {
    for (const port of objectsAt(container, 'ports')) if (isZero(port['hostPort'])) port['hostPort'] = port['containerPort'] ?? 0;
  }
}

function defaultServiceSpec(spec: JsonObject): void {
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] === 'ClientIP') {
    const config = objectAt(spec, 'sessionAffinityConfig');
    const timeout = objectAt(config, 'clientIP')?.['timeoutSeconds'];
    if (timeout === undefined || timeout === null)
      spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: CLIENT_IP_TIMEOUT_SECONDS } };
  }
  const type = stringAt(spec, 'type');
  const isExternal = type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && lengthAt(spec, 'externalIPs') > 0);
  if (isExternal && isZero(spec['externalTrafficPolicy'])) spec['externalTrafficPolicy'] = 'Cluster';
  const isInternal = type === 'NodePort' || type === 'LoadBalancer' || type === 'ClusterIP';
  if (isInternal && spec['internalTrafficPolicy'] === undefined) spec['internalTrafficPolicy'] = 'Cluster';
  if (type === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] === undefined) spec['allocateLoadBalancerNodePorts'] = true;
}

/** The request of a resource defaults to its limit. */
function defaultRequestsFromLimits(container: JsonObject): void {
  const resources = objectAt(container, 'resources');
  const limits = objectAt(resources, 'limits');
  if (resources === undefined || limits === undefined) return;
  resources['requests'] = { ...limits, ...objectAt(resources, 'requests') };
}

const HOST_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
/** `registry.example:5000` or `[::1]:5000`; the port is optional. */
const REGISTRY = `(?:${HOST_LABEL}(?:\\.${HOST_LABEL})*|\\[[0-9a-fA-F:]+\\])(?::\\d+)?`;
const REPOSITORY_PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const IMAGE_NAME = `(?:${REGISTRY}\\/)?${REPOSITORY_PART}(?:\\/${REPOSITORY_PART})*`;
const TAG = '\\w[\\w.-]{0,127}';
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
/** Name, tag and digest, as Docker parses them: `registry.example:5000/team/app:1.2@sha256:…`. */
const IMAGE_REFERENCE = new RegExp(`^(${IMAGE_NAME})(?::(${TAG}))?(?:@(${DIGEST}))?$`);

/** Maximum length of a name without tag and digest, including the default registry and repository. */
const MAX_IMAGE_NAME_LENGTH = 255;
const DEFAULT_REGISTRY = 'docker.io';
const OFFICIAL_REPOSITORY = 'library';
/** Not a name: 64 hexadecimal digits are reserved for image IDs. */
const BARE_DIGEST = /^[0-9a-f]{64}$/;

/** The length of a name after normalization: `app` becomes `docker.io/library/app`. `name` has no tag and no digest. */
function canonicalNameLength(name: string): number {
  const [first = '', ...rest] = name.split('/');
  const hasRegistry = rest.length > 0 && (/[.:]|^localhost$/.test(first) || first.toLowerCase() !== first);
  const registry = !hasRegistry || first === `index.${DEFAULT_REGISTRY}` ? DEFAULT_REGISTRY : first;
  const repository = hasRegistry ? rest : [first, ...rest];
  const isOfficial = registry === DEFAULT_REGISTRY && repository.length === 1;
  return [registry, ...(isOfficial ? [OFFICIAL_REPOSITORY] : []), ...repository].join('/').length;
}

/** `name` is `image` without tag and digest. */
const isValidImageName = (image: string, name: string): boolean =>
  !BARE_DIGEST.test(image) && canonicalNameLength(name) <= MAX_IMAGE_NAME_LENGTH;

/**
 * `Always` for an image without tag and digest or with the tag `latest`, otherwise `IfNotPresent`; also `IfNotPresent`
 * for an invalid image name.
 */
function defaultPullPolicy(container: JsonObject): void {
  if (!isZero(container['imagePullPolicy'])) return;
  const image = stringAt(container, 'image') ?? '';
  const match = IMAGE_REFERENCE.exec(image);
  const [, name = '', tag, digest] = match ?? [];
  const isLatest = match !== null && isValidImageName(image, name) && (tag === 'latest' || (tag === undefined && digest === undefined));
  container['imagePullPolicy'] = isLatest ? 'Always' : 'IfNotPresent';
}

function containersOf(spec: JsonObject | undefined): JsonObject[] {
  return [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
}

function lengthAt(object: JsonObject, member: string): number {
  return arrayAt(object, member)?.length ?? 0;
}
