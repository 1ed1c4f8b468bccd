/**
 * The settings of the controllers from the flags, and from the files that they name, which are reloaded when they
 * change. Makes no connections.
 */
import { readPrivateKey, type TokenKey } from '../shared/api/identity/token-keys';
import { readConfigFile, serverUrl, workloadConfig, type ClientConfig } from '../shared/client/kubeconfig/client-config';
import { fileBackedKubeconfig } from '../shared/client/kubeconfig/file-backed-kubeconfig';
import { WORKLOAD_NAMES } from '../shared/names/workload';
import type { Clock } from '../shared/runtime/clock';
import { memoizeBySource } from '../shared/runtime/memoize-by-source';
import { UsageError } from '../shared/cli/flags';
import { staticValue, FileBackedValue, type DynamicValue } from '../shared/runtime/files/file-backed-value';
import type { Logger } from '../shared/runtime/logger';
import type { ControllerFlags } from './flags';
import { nodeIpamSettings } from './node-ipam/settings';
import type { ControllerSettings } from './runtime/controller';
import { loadBalancerSettings } from './service-load-balancer/settings';
import { SigningFiles } from './signing-files';

/** The parsed configuration of the process; its files are read before it is returned. */
export interface SettingsFromFlags {
  /** Servers and credentials. Returns the same object until they change. */
  readonly config: () => ClientConfig;
  readonly settings: ControllerSettings;
  /** Starts watching the files; returns a function that ends it. */
  readonly watch: (clock: Clock, logger: Logger) => () => void;
}

/**
 * Reads the files. Throws ConfigError and KeyFileError for a file that cannot be used, UsageError for contradicting
 * flags.
 */
export function settingsFromFlags(values: ControllerFlags): SettingsFromFlags {
  const http1 = values['http1-only'];
  const watched: Pick<FileBackedValue<unknown>, 'watch'>[] = [];
  const followed = <T>(files: FileBackedValue<T>): FileBackedValue<T> => {
    watched.push(files);
    return files;
  };
  const config = clientConfig(values, followed);
  const { 'root-ca-file': rootFile, 'service-account-private-key-file': keyFile } = values;
  const rootCertificate: DynamicValue<string | undefined> =
    rootFile === ''
      ? { current: () => config.current().tls.ca, onChange: (listener) => config.onChange(listener) }
      : followed(new FileBackedValue('root certificate', () => ({ value: readConfigFile(rootFile), files: [rootFile] })));
  const accountTokenKey =
    keyFile === '' ? undefined : followed(new FileBackedValue('service account token key', () => tokenKeyIn(keyFile))).current;
  return {
    config: memoizeBySource(config.current, (present) => ({ ...present, http1 })),
    settings: { ...flagSettings(values), rootCertificate, accountTokenKey },
    watch(clock, logger) {
      const ends = watched.map((files) => files.watch(clock, logger));
      return () => ends.forEach((end) => end());
    },
  };
}

/**
 * The kubeconfig, the addresses of `--master` without credentials, or the configuration of a pod: the first that is
 * given.
 */
function clientConfig(
  { kubeconfig, master }: ControllerFlags,
  followed: <T>(files: FileBackedValue<T>) => FileBackedValue<T>,
): DynamicValue<ClientConfig> {
  if (kubeconfig !== '') return followed(fileBackedKubeconfig(kubeconfig, { servers: master }));
  if (master.length > 0) return staticValue({ servers: master.map(serverUrl), tls: {}, credentials: { type: 'none' } });
  return staticValue(workloadConfig(process.env, Object.values(WORKLOAD_NAMES)));
}

const tokenKeyIn = (file: string): { readonly value: TokenKey; readonly files: readonly string[] } => ({
  value: readPrivateKey(file, readConfigFile(file)),
  files: [file],
});

/** A string is the error of flags: throws it as {@link UsageError}. */
function requireValid<T>(settings: T | string): T {
  if (typeof settings === 'string') throw new UsageError(settings);
  return settings;
}

const flagSettings = (values: ControllerFlags): Omit<ControllerSettings, 'rootCertificate' | 'accountTokenKey'> => ({
  legacyTokenPeriodMs: values['legacy-service-account-token-clean-up-period'],
  signers: new SigningFiles(values),
  maxCertificateMs: values['cluster-signing-duration'],
  concurrentNamespaceSyncs: values['concurrent-namespace-syncs'],
  concurrentEndpointSyncs: values['concurrent-endpoint-syncs'],
  concurrentEndpointSliceSyncs: values['concurrent-service-endpoint-syncs'],
  enableGarbageCollector: values['enable-garbage-collector'],
  concurrentGarbageCollectorSyncs: values['concurrent-gc-syncs'],
  concurrentTtlAfterFinishedSyncs: values['concurrent-ttl-after-finished-syncs'],
  concurrentEphemeralVolumeSyncs: values['concurrent-ephemeralvolume-syncs'],
  volumeSyncPeriodMs: values['pvclaimbinder-sync-period'],
  concurrentReplicaSetSyncs: values['concurrent-replicaset-syncs'],
  concurrentReplicationControllerSyncs: values['concurrent-rc-syncs'],
  concurrentStatefulSetSyncs: values['concurrent-statefulset-syncs'],
  concurrentDeploymentSyncs: values['concurrent-deployment-syncs'],
  concurrentJobSyncs: values['concurrent-job-syncs'],
  concurrentCronJobSyncs: values['concurrent-cron-job-syncs'],
  terminatedPodThreshold: values['terminated-pod-gc-threshold'],
  maxEndpointsPerSlice: values['max-endpoints-per-slice'],
  endpointBatchMs: values['endpoint-updates-batch-period'],
  endpointSliceBatchMs: values['endpointslice-updates-batch-period'],
  concurrentMirrorSyncs: values['mirroring-concurrent-service-endpoint-syncs'],
  mirroringMaxEndpoints: values['mirroring-max-endpoints-per-subset'],
  mirroringBatchMs: values['mirroring-endpointslice-updates-batch-period'],
  concurrentQuotaSyncs: values['concurrent-resource-quota-syncs'],
  quotaSyncPeriodMs: values['resource-quota-sync-period'],
  nodes: {
    periodMs: values['node-monitor-period'],
    graceMs: values['node-monitor-grace-period'],
    startupGraceMs: values['node-startup-grace-period'],
    evictionRate: values['node-eviction-rate'],
    secondaryEvictionRate: values['secondary-node-eviction-rate'],
    unhealthyZoneThreshold: values['unhealthy-zone-threshold'],
    largeClusterThreshold: values['large-cluster-size-threshold'],
  },
  nodeIpam: requireValid(nodeIpamSettings(values)),
  developmentLoadBalancer: requireValid(loadBalancerSettings(values)),
  autoscaling: {
    concurrentSyncs: values['concurrent-horizontal-pod-autoscaler-syncs'],
    periodMs: values['horizontal-pod-autoscaler-sync-period'],
    downscaleStabilizationMs: values['horizontal-pod-autoscaler-downscale-stabilization'],
    tolerance: values['horizontal-pod-autoscaler-tolerance'],
    readiness: {
      cpuInitializationMs: values['horizontal-pod-autoscaler-cpu-initialization-period'],
      readinessDelayMs: values['horizontal-pod-autoscaler-initial-readiness-delay'],
    },
  },
});
