/**
 * The configuration that kubeadm reads when a node joins, as YAML documents in ConfigMaps: of the cluster, and of its
 * kubelets. The members that do not differ between clusters are those of a cluster that kubeadm created.
 */
import type { JsonObject } from '../../shared/values/json';
import { configMap, yamlDocument, type ClusterObject } from './cluster-objects';
import { NODE_CONFIG_MAPS } from './join-access';

/** The network of a cluster. */
export interface ClusterNetwork {
  /** The domain of names of Services. */
  readonly domain: string;
  /** The address of the DNS Service. */
  readonly dnsAddress: string;
  /** CIDR ranges, comma-separated; `''` when it is not known. */
  readonly serviceRange: string;
  /** CIDR ranges of pods, comma-separated; `''` when a network plug-in chooses them. */
  readonly podRange: string;
}

/** What differs between the configurations of clusters. */
export interface ClusterConfiguration {
  /** `host:port` that nodes connect to. */
  readonly endpoint: string;
  /** The version of the API server, such as `v1.31.1`. */
  readonly version: string;
  readonly network: ClusterNetwork;
}

const AUTHORITY_FILE = '/etc/kubernetes/pki/ca.crt';
/** The name that kubeadm gives to each cluster. */
const CLUSTER_NAME = 'kubernetes';

/** The ConfigMap `kubeadm-config`. */
export function clusterConfigMap({ endpoint, version, network }: ClusterConfiguration): ClusterObject {
  const { domain, serviceRange, podRange } = network;
  const networking = {
    dnsDomain: domain,
    ...(podRange === '' ? {} : { podSubnet: podRange }),
    ...(serviceRange === '' ? {} : { serviceSubnet: serviceRange }),
  };
  const document: JsonObject = {
    apiServer: {},
    apiVersion: 'kubeadm.k8s.io/v1beta4',
    caCertificateValidityPeriod: '87600h0m0s',
    certificateValidityPeriod: '8760h0m0s',
    certificatesDir: '/etc/kubernetes/pki',
    clusterName: CLUSTER_NAME,
    controlPlaneEndpoint: endpoint,
    controllerManager: {},
    dns: {},
    encryptionAlgorithm: 'RSA-2048',
    etcd: { local: { dataDir: '/var/lib/etcd' } },
    imageRepository: 'registry.k8s.io',
    kind: 'ClusterConfiguration',
    kubernetesVersion: version,
    networking,
    proxy: {},
    scheduler: {},
  };
  return configMap(NODE_CONFIG_MAPS.cluster, { ClusterConfiguration: yamlDocument(document) });
}

/** Zero durations are the kubelet's own defaults. */
const UNSET_DURATIONS = [
  'cpuManagerReconcilePeriod',
  'evictionPressureTransitionPeriod',
  'fileCheckFrequency',
  'httpCheckFrequency',
  'imageMaximumGCAge',
  'imageMinimumGCAge',
  'nodeStatusReportFrequency',
  'nodeStatusUpdateFrequency',
  'runtimeRequestTimeout',
  'shutdownGracePeriod',
  'shutdownGracePeriodCriticalPods',
  'streamingConnectionIdleTimeout',
  'syncFrequency',
  'volumeStatsAggPeriod',
];

/** Kubelets authenticate and authorize their callers with the API server, and renew their certificates. */
export function kubeletConfigMap({ domain, dnsAddress }: ClusterNetwork): ClusterObject {
  const document: JsonObject = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    authentication: { anonymous: { enabled: false }, webhook: { cacheTTL: '0s', enabled: true }, x509: { clientCAFile: AUTHORITY_FILE } },
    authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '0s', cacheUnauthorizedTTL: '0s' } },
    cgroupDriver: 'systemd',
    clusterDNS: [dnsAddress],
    clusterDomain: domain,
    containerRuntimeEndpoint: '',
    healthzBindAddress: '127.0.0.1',
    healthzPort: 10_248,
    kind: 'KubeletConfiguration',
    logging: { flushFrequency: 0, options: { json: { infoBufferSize: '0' }, text: { infoBufferSize: '0' } }, verbosity: 0 },
    memorySwap: {},
    rotateCertificates: true,
    staticPodPath: '/etc/kubernetes/manifests',
    ...Object.fromEntries(UNSET_DURATIONS.map((name) => [name, '0s'])),
  };
  return configMap(NODE_CONFIG_MAPS.kubelet, { kubelet: yamlDocument(document) });
}
