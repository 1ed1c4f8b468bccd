/**
 * The manifests of CoreDNS, with which pods resolve the names of Services and pods. They are those of kubeadm, which
 * therefore recognizes them.
 */
import { resourceOf } from '../../shared/client/rest/resource';
import type { JsonObject } from '../../shared/values/json';
import { accountGrant, clusterRole, configMap, serviceAccount, systemMetadata, type ClusterObject } from '../nodes/cluster-objects';
import type { Addon, AddonSettings } from './addon';

const NAME = 'coredns';
const ROLE = 'system:coredns';
const LABELS = { 'k8s-app': 'kube-dns' } as const;
const DEPLOYMENTS = resourceOf('apps.v1.Deployment');
const SERVICES = resourceOf('core.v1.Service');

/** Name, protocol and number of the ports. */
const PORTS = [
  ['dns', 'UDP', 53],
  ['dns-tcp', 'TCP', 53],
  ['metrics', 'TCP', 9153],
] as const;

export const COREDNS: Addon = {
  name: NAME,
  defaultImage: 'registry.k8s.io/coredns/coredns:v1.11.3',
  workload: DEPLOYMENTS,
  objects: ({ image, network: { domain, dnsAddress } }) => [
    serviceAccount(NAME),
    clusterRole(ROLE, [
      ['list watch', '', 'endpoints services pods namespaces'],
      ['list watch', 'discovery.k8s.io', 'endpointslices'],
    ]),
    accountGrant({ name: ROLE, role: ROLE, account: NAME }),
    configMap(NAME, { Corefile: corefile(domain) }),
    deployment(image),
    service(dnsAddress),
  ],
};

const corefile = (domain: string): string => `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes ${domain} in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30
    loop
    reload
    loadbalance
}
`;

function deployment(image: string): ClusterObject {
  return {
    resource: DEPLOYMENTS,
    object: {
      metadata: systemMetadata(NAME, LABELS),
      spec: {
        replicas: 2,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
        selector: { matchLabels: LABELS },
        template: { metadata: { labels: LABELS }, spec: podSpec(image) },
      },
    },
  };
}

/** Prefers nodes without another pod of CoreDNS. */
const SPREAD = {
  labelSelector: { matchExpressions: [{ key: 'k8s-app', operator: 'In', values: [LABELS['k8s-app']] }] },
  topologyKey: 'kubernetes.io/hostname',
};

function podSpec(image: string): JsonObject {
  return {
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: SPREAD }] } },
    priorityClassName: 'system-cluster-critical',
    serviceAccountName: NAME,
    tolerations: [
      { key: 'CriticalAddonsOnly', operator: 'Exists' },
      { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
    ],
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    dnsPolicy: 'Default',
    containers: [container(image)],
    volumes: [{ name: 'config-volume', configMap: { name: NAME, items: [{ key: 'Corefile', path: 'Corefile' }] } }],
  };
}

function container(image: string): JsonObject {
  return {
    name: NAME,
    image,
    imagePullPolicy: 'IfNotPresent',
    args: ['-conf', '/etc/coredns/Corefile'],
    ports: PORTS.map(([name, protocol, containerPort]) => ({ name, protocol, containerPort })),
    resources: { requests: { cpu: '100m', memory: '70Mi' }, limits: { memory: '170Mi' } },
    volumeMounts: [{ name: 'config-volume', mountPath: '/etc/coredns', readOnly: true }],
    livenessProbe: {
      httpGet: { path: '/health', port: 8080, scheme: 'HTTP' },
      initialDelaySeconds: 60,
      timeoutSeconds: 5,
      successThreshold: 1,
      failureThreshold: 5,
    },
    readinessProbe: { httpGet: { path: '/ready', port: 8181, scheme: 'HTTP' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
  };
}

function service(clusterIP: AddonSettings['network']['dnsAddress']): ClusterObject {
  const labels = { ...LABELS, 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' };
  return {
    resource: SERVICES,
    object: {
      metadata: { ...systemMetadata('kube-dns', labels), annotations: { 'prometheus.io/port': '9153', 'prometheus.io/scrape': 'true' } },
      spec: {
        clusterIP,
        selector: LABELS,
        ports: PORTS.map(([name, protocol, port]) => ({ name, protocol, port, targetPort: port })),
      },
    },
  };
}
