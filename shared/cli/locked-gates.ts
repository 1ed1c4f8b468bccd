/**
 * Feature gates of upstream that cannot be changed in this program: it behaves as upstream with their defaults. Names,
 * stages and defaults are those in the metric `kubernetes_feature_enabled` of release 1.31.1.
 */

/** As in upstream's metrics; `''` for a gate of a generally available feature. */
type GateStage = '' | 'BETA' | 'ALPHA' | 'DEPRECATED';

/** A gate that keeps its default. */
interface LockedGate {
  readonly stage: GateStage;
  readonly enabled: boolean;
}

interface Row extends LockedGate {
  /** Gates with this stage and value, separated by blanks and line breaks. */
  readonly names: string;
}

const ROWS: readonly Row[] = [
  {
    stage: '',
    enabled: true,
    names: `
      APIListChunking AdmissionWebhookMatchConditions AggregatedDiscoveryEndpoint AppArmor AppArmorFields CPUManager CloudDualStackNodeIPs
      DevicePluginCDIDevices DisableCloudProviders DisableKubeletCloudCredentialProviders EfficientWatchResumption ElasticIndexedJob ExecProbeTimeout
      HPAContainerMetrics JobPodFailurePolicy KMSv2 KMSv2KDF KubeProxyDrainingTerminatingNodes LegacyServiceAccountTokenCleanUp LogarithmicScaleDown
      MinDomainsInPodTopologySpread NewVolumeManagerReconstruction NodeOutOfServiceVolumeDetach PDBUnhealthyPodEvictionPolicy
      PersistentVolumeLastPhaseTransitionTime PodDisruptionConditions PodHostIPs PodSchedulingReadiness RemainingItemCount ServerSideApply
      ServerSideFieldValidation StableLoadBalancerNodeSet StatefulSetStartOrdinal ValidatingAdmissionPolicy WatchBookmark
      ZeroLimitedNominalConcurrencyShares`,
  },
  {
    stage: 'BETA',
    enabled: true,
    names: `
      APIServerIdentity APIServerTracing AnyVolumeDataSource CPUManagerPolicyBetaOptions CPUManagerPolicyOptions CRDValidationRatcheting
      CSIMigrationPortworx ComponentSLIs ConsistentListFromCache ContainerCheckpoint ContextualLogging CronJobsScheduledAnnotation
      CustomResourceFieldSelectors GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority HonorPVReclaimPolicy ImageMaximumGCAge
      JobBackoffLimitPerIndex JobPodReplacementPolicy JobSuccessPolicy KubeletCgroupDriverFromCRI KubeletSeparateDiskGC KubeletTracing LoadBalancerIPMode
      LoggingBetaOptions MatchLabelKeysInPodAffinity MatchLabelKeysInPodTopologySpread MemoryManager NFTablesProxyMode
      NodeInclusionPolicyInPodTopologySpread NodeSwap OpenAPIEnums PodDeletionCost PodIndexLabel PodLifecycleSleepAction PodReadyToStartContainersCondition
      RecursiveReadOnlyMounts ReloadKubeletServerCertificateFile ResilientWatchCacheInitialization RetryGenerateName RotateKubeletServerCertificate
      SELinuxMountReadWriteOncePod SeparateCacheWatchRPC SeparateTaintEvictionController ServiceAccountTokenJTI ServiceAccountTokenNodeBinding
      ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo SidecarContainers SizeMemoryBackedVolumes StatefulSetAutoDeletePVC
      StorageNamespaceIndex StorageVersionHash StructuredAuthenticationConfiguration StructuredAuthorizationConfiguration TopologyAwareHints
      TopologyManagerPolicyBetaOptions TopologyManagerPolicyOptions UnauthenticatedHTTP2DOSMitigation WinOverlay`,
  },
  {
    stage: 'BETA',
    enabled: false,
    names: `
      ConcurrentWatchObjectDecode LocalStorageCapacityIsolationFSQuotaMonitoring MultiCIDRServiceAllocator NodeLogQuery ProcMountType SchedulerQueueingHints
      StrictCostEnforcementForVAP StrictCostEnforcementForWebhooks UserNamespacesSupport VolumeAttributesClass WatchCacheInitializationPostStartHook
      WatchFromStorageWithoutResourceVersion WatchListClient`,
  },
  {
    stage: 'ALPHA',
    enabled: true,
    names: `
      WindowsHostNetwork`,
  },
  {
    stage: 'ALPHA',
    enabled: false,
    names: `
      APIServingWithRoutine AuthorizeNodeWithSelectors CPUManagerPolicyAlphaOptions CSIVolumeHealth CloudControllerManagerWebhook ClusterTrustBundle
      ClusterTrustBundleProjection CoordinatedLeaderElection CrossNamespaceVolumeDataSource CustomCPUCFSQuotaPeriod DRAControlPlaneController
      DisableAllocatorDualWrite DynamicResourceAllocation EventedPLEG HPAScaleToZero ImageVolume InPlacePodVerticalScaling InTreePluginPortworxUnregister
      InformerResourceVersion JobManagedBy KubeletInUserNamespace KubeletPodResourcesDynamicResources KubeletPodResourcesGet LoggingAlphaOptions
      MaxUnavailableStatefulSet MemoryQoS MutatingAdmissionPolicy PodAndContainerStatsFromCRI QOSReserved RecoverVolumeExpansionFailure
      RelaxedEnvironmentVariableValidation ResourceHealthStatus RuntimeClassInImageCriApi SELinuxMount StorageVersionAPI StorageVersionMigrator
      SupplementalGroupsPolicy TopologyManagerPolicyAlphaOptions UnknownVersionInteroperabilityProxy UserNamespacesPodSecurityStandards
      VolumeCapacityPriority WinDSR`,
  },
  {
    stage: 'DEPRECATED',
    enabled: false,
    names: `
      AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests AllowServiceLBStatusOnNonLB DisableNodeKubeProxyVersion KMSv1`,
  },
];

/** By name. */
export const LOCKED_GATES: ReadonlyMap<string, LockedGate> = new Map(
  ROWS.flatMap(({ names, stage, enabled }) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, { stage, enabled }] as const),
  ),
);
