/** Defaults that depend on other members, by type; each runs after the plain values of its type and before its members' own defaults. */
import { arrayAt, cloneJson, isObject, objectAt, setMember, stringAt, type JsonObject } from '../json';
import { schemaOf } from './tables';

export type DefaultRule = (object: JsonObject) => void;

const CLIENT_IP_TIMEOUT_SECONDS = 10_800;

export const DEFAULT_RULES: Readonly<Record<string, DefaultRule>> = {
  'core.v1.Container': pullPolicy,
  'core.v1.EphemeralContainer': pullPolicy,
  'core.v1.NodeStatus': (status) => {
    if (status['allocatable'] === undefined && isObject(status['capacity'])) status['allocatable'] = cloneJson(status['capacity']);
  },
  'core.v1.Pod': (pod) => {
    const spec = objectAt(pod, 'spec');
    for (const container of [...objects(spec, 'containers'), ...objects(spec, 'initContainers')]) requestsFromLimits(container);
  },
  'core.v1.PodSpec': (spec) => {
    // Two names of one member: the newer one wins.
    const account = stringAt(spec, 'serviceAccountName') ?? stringAt(spec, 'serviceAccount');
    if (account !== undefined) Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
    if (spec['hostNetwork'] !== true) return;
    for (const container of [...objects(spec, 'containers'), ...objects(spec, 'initContainers')]) {
      for (const port of objects(container, 'ports')) if (isZero(port['hostPort'])) port['hostPort'] = port['containerPort'] ?? 0;
    }
  },
  'core.v1.Secret': (secret) => {
    // Write-only: texts are merged over the data and never kept.
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
    for (const ingress of objects(objectAt(objectAt(service, 'status'), 'loadBalancer'), 'ingress')) {
      if (!isZero(ingress['ip']) && ingress['ipMode'] === undefined) ingress['ipMode'] = 'VIP';
    }
  },
  'core.v1.ServicePort': (port) => {
    if (isZero(port['targetPort'])) port['targetPort'] = port['port'] ?? 0;
  },
  'core.v1.ServiceSpec': serviceSpec,
  'core.v1.Volume': (volume) => {
    const sources = schemaOf('core.v1.VolumeSource').fields;
    if (sources.every((source) => volume[source.name] === undefined)) volume['emptyDir'] = {};
  },
};

function serviceSpec(spec: JsonObject): void {
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] === 'ClientIP') {
    const config = objectAt(spec, 'sessionAffinityConfig');
    const timeout = objectAt(config, 'clientIP')?.['timeoutSeconds'];
    if (timeout === undefined || timeout === null)
      spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: CLIENT_IP_TIMEOUT_SECONDS } };
  }
  const type = stringAt(spec, 'type');
  const isExternal = type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && objectsOrTexts(spec, 'externalIPs') > 0);
  if (isExternal && isZero(spec['externalTrafficPolicy'])) spec['externalTrafficPolicy'] = 'Cluster';
  const isInternal = type === 'NodePort' || type === 'LoadBalancer' || type === 'ClusterIP';
  if (isInternal && spec['internalTrafficPolicy'] === undefined) spec['internalTrafficPolicy'] = 'Cluster';
  if (type === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] === undefined) spec['allocateLoadBalancerNodePorts'] = true;
}

/** A resource that has a limit but no request requests its limit. */
function requestsFromLimits(container: JsonObject): void {
  const resources = objectAt(container, 'resources');
  const limits = objectAt(resources, 'limits');
  if (resources === undefined || limits === undefined) return;
  resources['requests'] = { ...limits, ...objectAt(resources, 'requests') };
}

const NAME =
  /^(?:(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*(?::\d+)?\/|\[[0-9a-fA-F:]+\](?::\d+)?\/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*(?::(\w[\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$/;

/** An image without tag and digest, or with the tag `latest`, is pulled always; so is none whose name is no image name. */
function pullPolicy(container: JsonObject): void {
  if (!isZero(container['imagePullPolicy'])) return;
  const match = NAME.exec(stringAt(container, 'image') ?? '');
  const [, tag, digest] = match ?? [];
  const isLatest = match !== null && (tag === 'latest' || (tag === undefined && digest === undefined));
  container['imagePullPolicy'] = isLatest ? 'Always' : 'IfNotPresent';
}

function objects(object: JsonObject | undefined, member: string): JsonObject[] {
  return (arrayAt(object, member) ?? []).filter(isObject);
}

function objectsOrTexts(object: JsonObject, member: string): number {
  return arrayAt(object, member)?.length ?? 0;
}

function isZero(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === 0;
}
