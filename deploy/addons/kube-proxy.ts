/**
 * The manifests of kube-proxy, which serves the cluster IPs and node ports of Services on each node. They are those of
 * kubeadm, which therefore recognizes them.
 */
import { resourceOf } from '../../shared/client/rest/resource';
import { NODE_TOKEN_GROUP } from '../../shared/names/bootstrap-token';
import type { JsonObject } from '../../shared/values/json';
import {
  accountGrant,
  configMap,
  configMapReader,
  serviceAccount,
  systemMetadata,
  yamlDocument,
  type ClusterObject,
} from '../nodes/cluster-objects';
import { NODE_CONFIG_MAPS } from '../nodes/join-access';
import type { Addon, AddonSettings } from './addon';

const NAME = NODE_CONFIG_MAPS.proxy;
const LABELS = { 'k8s-app': NAME } as const;
const DAEMON_SETS = resourceOf('apps.v1.DaemonSet');
const ACCOUNT_FILES = '/var/run/secrets/kubernetes.io/serviceaccount';
const CONFIGURATION_FOLDER = '/var/lib/kube-proxy';

export const KUBE_PROXY: Addon = {
  name: NAME,
  defaultImage: 'registry.k8s.io/kube-proxy:v1.31.1',
  workload: DAEMON_SETS,
  objects: ({ image, network: { podRange }, server }) => [
    serviceAccount(NAME),
    accountGrant({ name: 'kubeadm:node-proxier', role: 'system:node-proxier', account: NAME }),
    // kubeadm reads the configuration of kube-proxy when a node joins.
    ...configMapReader(NAME, NAME, [NODE_TOKEN_GROUP]),
    configMap(
      NAME,
      { 'config.conf': yamlDocument(configuration(podRange)), 'kubeconfig.conf': yamlDocument(kubeconfig(server)) },
      { app: NAME },
    ),
    daemonSet(image),
  ],
};

/** The configuration as kubeadm writes it: kube-proxy replaces members that are null, empty or zero by its defaults. */
function configuration(podRange: string): JsonObject {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    bindAddress: '0.0.0.0',
    bindAddressHardFail: false,
    clientConnection: {
      acceptContentTypes: '',
      burst: 0,
      contentType: '',
      kubeconfig: `${CONFIGURATION_FOLDER}/kubeconfig.conf`,
      qps: 0,
    },
    clusterCIDR: podRange,
    configSyncPeriod: '0s',
    conntrack: {
      maxPerCore: null,
      min: null,
      tcpBeLiberal: false,
      tcpCloseWaitTimeout: null,
      tcpEstablishedTimeout: null,
      udpStreamTimeout: '0s',
      udpTimeout: '0s',
    },
    detectLocal: { bridgeInterface: '', interfaceNamePrefix: '' },
    detectLocalMode: '',
    enableProfiling: false,
    healthzBindAddress: '',
    hostnameOverride: '',
    iptables: { localhostNodePorts: null, masqueradeAll: false, masqueradeBit: null, minSyncPeriod: '0s', syncPeriod: '0s' },
    ipvs: {
      excludeCIDRs: null,
      minSyncPeriod: '0s',
      scheduler: '',
      strictARP: false,
      syncPeriod: '0s',
      tcpFinTimeout: '0s',
      tcpTimeout: '0s',
      udpTimeout: '0s',
    },
    kind: 'KubeProxyConfiguration',
    logging: { flushFrequency: 0, options: { json: { infoBufferSize: '0' }, text: { infoBufferSize: '0' } }, verbosity: 0 },
    metricsBindAddress: '',
    mode: '',
    nftables: { masqueradeAll: false, masqueradeBit: null, minSyncPeriod: '0s', syncPeriod: '0s' },
    nodePortAddresses: null,
    oomScoreAdj: null,
    portRange: '',
    showHiddenMetricsForVersion: '',
    winkernel: { enableDSR: false, forwardHealthCheckVip: false, networkName: '', rootHnsEndpointName: '', sourceVip: '' },
  };
}

/** kube-proxy cannot use the Service of the API servers, which works only once kube-proxy runs. */
function kubeconfig({ origin }: AddonSettings['server']): JsonObject {
  const name = 'default';
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { 'certificate-authority': `${ACCOUNT_FILES}/ca.crt`, server: origin } }],
    contexts: [{ name, context: { cluster: name, namespace: name, user: name } }],
    'current-context': name,
    users: [{ name, user: { tokenFile: `${ACCOUNT_FILES}/token` } }],
  };
}

function daemonSet(image: string): ClusterObject {
  return {
    resource: DAEMON_SETS,
    object: {
      metadata: systemMetadata(NAME, LABELS),
      spec: {
        selector: { matchLabels: LABELS },
        updateStrategy: { type: 'RollingUpdate' },
        template: { metadata: { labels: LABELS }, spec: podSpec(image) },
      },
    },
  };
}

function podSpec(image: string): JsonObject {
  return {
    priorityClassName: 'system-node-critical',
    serviceAccountName: NAME,
    hostNetwork: true,
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ operator: 'Exists' }],
    containers: [
      {
        name: NAME,
        image,
        imagePullPolicy: 'IfNotPresent',
        command: ['/usr/local/bin/kube-proxy', `--config=${CONFIGURATION_FOLDER}/config.conf`, '--hostname-override=$(NODE_NAME)'],
        env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
        // kube-proxy changes the machine's packet filter and kernel settings.
        securityContext: { privileged: true },
        volumeMounts: [
          { name: NAME, mountPath: CONFIGURATION_FOLDER },
          { name: 'xtables-lock', mountPath: '/run/xtables.lock', readOnly: false },
          { name: 'lib-modules', mountPath: '/lib/modules', readOnly: true },
        ],
      },
    ],
    volumes: [
      { name: NAME, configMap: { name: NAME } },
      { name: 'xtables-lock', hostPath: { path: '/run/xtables.lock', type: 'FileOrCreate' } },
      { name: 'lib-modules', hostPath: { path: '/lib/modules' } },
    ],
  };
}
