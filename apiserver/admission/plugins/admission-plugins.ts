/**
 * The table of admission plug-ins under upstream's names. Plug-ins run in the order of the table, except that the
 * mutating webhooks run after all other mutating plug-ins. A plug-in without `create` is known but not available:
 * enabling it is an error.
 */
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Cache } from '../../cache/cache';
import type { Resources } from '../../registry/resources';
import type { Admission, ReservingPlugin } from '../../registry/admission';
import type { AdmissionMetrics, MutatingPlugin, ValidatingPlugin } from '../chain';
import type { Clock } from '../../../shared/runtime/clock';
import type { Random } from '../../../shared/runtime/random';
import { alwaysPullImages } from './pods/always-pull-images';
import { limitPodHardAntiAffinityTopology } from './scheduling/limit-anti-affinity-topology';
import { denyExternalIps } from './networking/deny-external-ips';
import { eventRateLimit } from './event-rate-limit';
import { extendedResourceToleration } from './scheduling/extended-resource-toleration';
import { defaultIngressClass } from './networking/default-ingress-class';
import { defaultTolerationSeconds } from './scheduling/default-toleration-seconds';
import { imagePolicyWebhook, type SendImageReview } from './pods/image-policy';
import { limitRanger } from './pods/limit-ranger';
import { namespaceAutoProvision, type CreateNamespace } from './namespaces/namespace-auto-provision';
import { namespaceLifecycle, protectSystemNamespaces } from './namespaces/namespace-lifecycle';
import { nodeRestriction, type NodeRestrictionDependencies } from './access/node-restriction';
import { podNodeSelector } from './scheduling/pod-node-selector';
import { alwaysDeny, namespaceExists } from './namespaces/always-deny-and-namespace-exists';
import { ownerReferencesPermissionEnforcement, type OwnerPermissionDependencies } from './access/owner-references';
import { podSecurity, type OnPodSecurityExemption, type OnPodSecurityEvaluation } from './pod-security/pod-security';
import { podPriority, priorityClassValidation, type PriorityClasses } from './scheduling/priority';
import { podTolerationRestriction } from './scheduling/pod-toleration-restriction';
import { resourceQuota, type ResourceQuotaDependencies } from './quota/resource-quota';
import type { EscalationDependencies } from './access/escalation-check';
import { runtimeClass } from './scheduling/runtime-class';
import type { CanUseAddresses } from './networking/service-address-permissions';
import { serviceAccount } from './pods/service-account';
import type { AdmissionSettings } from './admission-settings';
import { certificateSigningPlugins, type CanUseSigner } from './access/certificate-signing';
import { storageObjectInUseProtection } from './storage/storage-protection';
import { persistentVolumeClaimResize, defaultStorageClass } from './storage/storage-classes';
import { taintNodes } from './scheduling/taint-nodes';

/** The webhook plug-ins, which run after the other plug-ins of their step in the table. */
export interface WebhookPlugins {
  /** `reinvoke` runs the other mutating plug-ins once more, for an object that a webhook has changed. */
  readonly mutating: (reinvoke: Admission['mutate']) => MutatingPlugin;
  readonly validating: ValidatingPlugin;
}

/** The parts of the server that plug-ins use, and their configuration. */
export interface AdmissionDependencies {
  /** Absent = PodSecurity evaluations are not counted. */
  readonly onPodSecurityEvaluation?: OnPodSecurityEvaluation;
  /** Absent = PodSecurity exemptions are not counted. */
  readonly onPodSecurityExemption?: OnPodSecurityExemption;
  /** Absent = durations are not recorded. */
  readonly metrics?: AdmissionMetrics;
  readonly names: GeneratedNames;
  readonly random: Pick<Random, 'string'>;
  readonly cache: Pick<Cache, 'snapshot'>;
  readonly resources: Pick<Resources, 'require'>;
  /** Absent = quotas are not enforced. */
  readonly quotas?: Pick<ResourceQuotaDependencies, 'guards' | 'cache'>;
  /** Whether a user may add Service addresses from outside the cluster; absent = every user may. */
  readonly canUseAddresses?: CanUseAddresses | undefined;
  /** Whether a user may approve or sign certificate requests; absent = every user may. */
  readonly canUseSigner?: CanUseSigner | undefined;
  /** For NodeRestriction; absent = nodes are not restricted. */
  readonly nodeRestriction?: NodeRestrictionDependencies | undefined;
  /** Absent = there is no ValidatingAdmissionPolicy. */
  readonly policies?: ValidatingPlugin | undefined;
  /** Absent = no webhooks are called. */
  readonly webhooks?: WebhookPlugins | undefined;
  /** For OwnerReferencesPermissionEnforcement; absent = owner references need no permission. */
  readonly ownerPermissions?: OwnerPermissionDependencies | undefined;
  /** For NamespaceAutoProvision; absent = namespaces are not created. */
  readonly createNamespace?: CreateNamespace | undefined;
  /** For ImagePolicyWebhook; absent = images are not reviewed. */
  readonly sendImageReview?: SendImageReview | undefined;
  readonly clock: Clock;
  readonly settings?: AdmissionSettings | undefined;
  /** For the role escalation check; absent = every user may grant every permission. */
  readonly escalation?: EscalationDependencies | undefined;
}

/** The instances of a plug-in for each step. */
export interface PluginInstances {
  readonly mutating?: MutatingPlugin;
  readonly validating?: ValidatingPlugin;
  readonly reserving?: ReservingPlugin;
  /** A webhook plug-in, which runs after the other mutating plug-ins and may reinvoke them. */
  readonly mutatingWebhook?: WebhookPlugins['mutating'];
}

/** One row of the table. */
export interface PluginRegistration {
  readonly name: string;
  /** `with-nodes`: when the Node authorizer is on. */
  readonly enabledWhen: 'by-default' | 'explicitly' | 'with-nodes';
  /**
   * Called once when the server starts. The members of the result are the steps in which the plug-in takes part. Absent =
   * the plug-in is not available.
   */
  readonly create?: (deps: AdmissionDependencies) => PluginInstances;
  /** The configuration that the plug-in cannot run without. */
  readonly requiredSetting?: keyof AdmissionSettings;
}

/** In place of an authorizer that is absent. */
const allowAll = (): boolean => true;

/** The `create` of the certificate plug-in with this name. */
const createCertificatePlugin =
  (name: string): NonNullable<PluginRegistration['create']> =>
  ({ canUseSigner }) => {
    const validating = certificateSigningPlugins(canUseSigner ?? allowAll).find((plugin) => plugin.name === name);
    return validating === undefined ? {} : { validating };
  };

/** In the order in which the plug-ins run. */
export const ADMISSION_PLUGINS: readonly PluginRegistration[] = [
  { name: 'AlwaysAdmit', enabledWhen: 'explicitly', create: () => ({}) },
  {
    name: 'NamespaceAutoProvision',
    enabledWhen: 'explicitly',
    create: ({ createNamespace }) => (createNamespace === undefined ? {} : { mutating: namespaceAutoProvision(createNamespace) }),
  },
  {
    name: 'NamespaceLifecycle',
    enabledWhen: 'by-default',
    create: ({ names }) => ({ mutating: namespaceLifecycle(), validating: protectSystemNamespaces(names) }),
  },
  { name: 'NamespaceExists', enabledWhen: 'explicitly', create: () => ({ mutating: namespaceExists() }) },
  {
    name: 'LimitPodHardAntiAffinityTopology',
    enabledWhen: 'explicitly',
    create: ({ names }) => ({ validating: limitPodHardAntiAffinityTopology(`${names.prefix}/hostname`) }),
  },
  {
    name: 'LimitRanger',
    enabledWhen: 'by-default',
    create({ cache, names, resources }) {
      const { mutating, validating } = limitRanger({ cache, limitRanges: resources.require('limitranges').stored, names });
      return { mutating, validating };
    },
  },
  {
    name: 'ServiceAccount',
    enabledWhen: 'by-default',
    create({ cache, names, random, resources }) {
      const accounts = resources.require('serviceaccounts').stored;
      return serviceAccount({ names, random, getAccount: (namespace, name) => cache.snapshot(accounts).get(`${namespace}/${name}`) });
    },
  },
  {
    name: 'NodeRestriction',
    enabledWhen: 'with-nodes',
    create: (deps) => (deps.nodeRestriction === undefined ? {} : nodeRestriction(deps.nodeRestriction)),
  },
  { name: 'TaintNodesByCondition', enabledWhen: 'by-default', create: ({ names }) => ({ mutating: taintNodes(names.prefix) }) },
  { name: 'AlwaysPullImages', enabledWhen: 'explicitly', create: () => ({ mutating: alwaysPullImages() }) },
  {
    name: 'ImagePolicyWebhook',
    enabledWhen: 'explicitly',
    requiredSetting: 'imagePolicy',
    create({ settings, sendImageReview, names, clock }) {
      const { imagePolicy } = settings ?? {};
      return imagePolicy === undefined || sendImageReview === undefined
        ? {}
        : { validating: imagePolicyWebhook({ settings: imagePolicy, send: sendImageReview, dialect: names.dialect, clock }) };
    },
  },
  {
    name: 'PodSecurity',
    enabledWhen: 'by-default',
    create({ cache, resources, settings, onPodSecurityEvaluation, onPodSecurityExemption }) {
      const namespaces = resources.require('namespaces').stored;
      const pods = resources.require('pods').stored;
      const validating = podSecurity({
        settings: settings?.podSecurity,
        onEvaluation: onPodSecurityEvaluation,
        onExemption: onPodSecurityExemption,
        getNamespace: (name) => cache.snapshot(namespaces).get(name),
        listPods(namespace) {
          // Keys are `NAMESPACE/NAME`, and `0` is the character after `/`.
          const bounds = [`${namespace}/`, `${namespace}0`] as const;
          const snapshot = cache.snapshot(pods);
          return { count: snapshot.count(...bounds), entries: snapshot.range(...bounds) };
        },
      });
      return { validating };
    },
  },
  { name: 'PodNodeSelector', enabledWhen: 'explicitly', create: ({ settings }) => podNodeSelector(settings?.nodeSelectors) },
  {
    name: 'Priority',
    enabledWhen: 'by-default',
    create({ cache, resources }) {
      const stored = resources.require('priorityclasses.scheduling.platform.io').stored;
      const classes = (): PriorityClasses => cache.snapshot(stored);
      return { mutating: podPriority(classes), validating: priorityClassValidation(classes) };
    },
  },
  {
    name: 'DefaultTolerationSeconds',
    enabledWhen: 'by-default',
    create: ({ names }) => ({ mutating: defaultTolerationSeconds(names.prefix) }),
  },
  {
    name: 'PodTolerationRestriction',
    enabledWhen: 'explicitly',
    create: ({ names, settings }) => podTolerationRestriction(names, settings?.tolerations),
  },
  {
    name: 'EventRateLimit',
    enabledWhen: 'explicitly',
    requiredSetting: 'eventLimits',
    create: ({ settings, clock }) => ({ validating: eventRateLimit(settings?.eventLimits ?? [], clock) }),
  },
  { name: 'ExtendedResourceToleration', enabledWhen: 'explicitly', create: () => ({ mutating: extendedResourceToleration() }) },
  {
    name: 'DefaultStorageClass',
    enabledWhen: 'by-default',
    create({ cache, resources }) {
      const classes = resources.require('storageclasses.storage.platform.io').stored;
      return { mutating: defaultStorageClass(() => cache.snapshot(classes).range()) };
    },
  },
  {
    name: 'StorageObjectInUseProtection',
    enabledWhen: 'by-default',
    create: ({ names }) => ({ mutating: storageObjectInUseProtection(names.prefix) }),
  },
  {
    name: 'OwnerReferencesPermissionEnforcement',
    enabledWhen: 'explicitly',
    create: ({ ownerPermissions }) =>
      ownerPermissions === undefined ? {} : { validating: ownerReferencesPermissionEnforcement(ownerPermissions) },
  },
  {
    name: 'PersistentVolumeClaimResize',
    enabledWhen: 'by-default',
    create({ cache, resources }) {
      const classes = resources.require('storageclasses.storage.platform.io').stored;
      return { validating: persistentVolumeClaimResize((name) => cache.snapshot(classes).get(name)) };
    },
  },
  {
    name: 'RuntimeClass',
    enabledWhen: 'by-default',
    create({ cache, resources }) {
      const classes = resources.require('runtimeclasses.node.platform.io').stored;
      return runtimeClass((name) => cache.snapshot(classes).get(name));
    },
  },
  { name: 'CertificateApproval', enabledWhen: 'by-default', create: createCertificatePlugin('CertificateApproval') },
  { name: 'CertificateSigning', enabledWhen: 'by-default', create: createCertificatePlugin('CertificateSigning') },
  { name: 'ClusterTrustBundleAttest', enabledWhen: 'by-default' },
  { name: 'CertificateSubjectRestriction', enabledWhen: 'by-default', create: createCertificatePlugin('CertificateSubjectRestriction') },
  {
    name: 'DefaultIngressClass',
    enabledWhen: 'by-default',
    create({ cache, resources }) {
      const classes = resources.require('ingressclasses.networking.platform.io').stored;
      return { mutating: defaultIngressClass(() => cache.snapshot(classes).range()) };
    },
  },
  { name: 'DenyServiceExternalIPs', enabledWhen: 'explicitly', create: () => ({ validating: denyExternalIps() }) },
  {
    name: 'MutatingAdmissionWebhook',
    enabledWhen: 'by-default',
    create: ({ webhooks }) => (webhooks === undefined ? {} : { mutatingWebhook: webhooks.mutating }),
  },
  {
    name: 'ValidatingAdmissionPolicy',
    enabledWhen: 'by-default',
    create: ({ policies }) => (policies === undefined ? {} : { validating: policies }),
  },
  {
    name: 'ValidatingAdmissionWebhook',
    enabledWhen: 'by-default',
    create: ({ webhooks }) => (webhooks === undefined ? {} : { validating: webhooks.validating }),
  },
  {
    name: 'ResourceQuota',
    enabledWhen: 'by-default',
    create({ quotas, resources, settings, clock }) {
      if (quotas === undefined) return {};
      const storedQuotas = resources.require('resourcequotas').stored;
      return { reserving: resourceQuota({ ...quotas, clock, limitedResources: settings?.limitedResources, quotas: storedQuotas }) };
    },
  },
  { name: 'AlwaysDeny', enabledWhen: 'explicitly', create: () => ({ mutating: alwaysDeny() }) },
];
