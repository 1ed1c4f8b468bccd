/**
 * The admission plug-ins under upstream's names, in the order in which they run: which of them are on without being asked for, and what each is made of.
 * A name without `make` is known and not offered: who asks for it is told so.
 */
import type { GeneratedNames } from '../../shared/names/dialect';
import type { Cache } from '../cache/cache';
import type { Resources } from '../registry/resources';
import type { Admission, ReservingPlugin } from '../registry/admission';
import type { AdmissionMeter, MutatingPlugin, ValidatingPlugin } from './chain';
import type { Clock } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';
import { alwaysPullImages } from './always-pull-images';
import { hardAntiAffinity } from './anti-affinity';
import { denyExternalIps } from './external-ips';
import { eventRateLimit } from './event-rate-limit';
import { extendedResourceToleration } from './extended-resource-toleration';
import { defaultIngressClass } from './default-ingress-class';
import { defaultTolerationSeconds } from './default-toleration-seconds';
import { imagePolicyWebhook, type AskImages } from './image-policy';
import { limitRanger } from './limit-ranger';
import { namespaceAutoProvision, type MakeNamespace } from './namespace-auto-provision';
import { namespaceLifecycle, protectedNamespaces } from './namespace-lifecycle';
import { nodeRestriction, type NodeRestrictionParts } from './node-restriction';
import { podNodeSelector } from './node-selector';
import { alwaysDeny, namespaceExists } from './plain-plugins';
import { ownerPermissions, type OwnerParts } from './owner-references';
import { podSecurity, type PodSecurityExempted, type PodSecurityJudged } from './pod-security';
import { podPriority, priorityClasses, type PriorityClasses } from './priority';
import { podTolerationRestriction } from './pod-toleration-restriction';
import { resourceQuota, type ResourceQuotaParts } from './quota/resource-quota';
import type { EscalationParts } from './role-escalation';
import { runtimeClass } from './runtime-class';
import type { MayUse } from './service-addresses';
import { serviceAccount } from './service-account';
import type { AdmissionSettings } from './settings';
import { signerPlugins, type MayUseSigner } from './signers';
import { storageProtection } from './storage-protection';
import { claimResize, defaultStorageClass } from './storage-classes';
import { taintNodes } from './taint-nodes';

/** Those outside, who are asked when all others have had their say. */
export interface WebhookPlugins {
  /** `again` = the plug-ins before it. */
  readonly mutating: (again: Admission['mutate']) => MutatingPlugin;
  readonly validating: ValidatingPlugin;
}

/** What plug-ins look at besides the request. */
export interface AdmissionSurroundings {
  /** Absent = nobody wants to know what PodSecurity says. */
  readonly podSecurityJudged?: PodSecurityJudged;
  /** Absent = nobody wants to know whom PodSecurity exempts. */
  readonly podSecurityExempted?: PodSecurityExempted;
  /** Absent = nobody wants to know how long plug-ins take. */
  readonly meter?: AdmissionMeter;
  readonly names: GeneratedNames;
  readonly random: Pick<Random, 'string'>;
  readonly cache: Pick<Cache, 'snapshot'>;
  readonly resources: Pick<Resources, 'require'>;
  /** What quotas leave room for; absent = they hold nobody back. */
  readonly quotas?: Pick<ResourceQuotaParts, 'guards' | 'cache'>;
  /** Who may give Services addresses from outside the cluster; absent = everyone. */
  readonly mayUseAddresses?: MayUse | undefined;
  /** Who may decide on requests for certificates and sign them; absent = everyone. */
  readonly mayUseSigner?: MayUseSigner | undefined;
  /** What nodes are confined to, where NodeRestriction is on; absent = they are as free as others. */
  readonly nodes?: NodeRestrictionParts | undefined;
  /** Absent = no policy is asked. */
  readonly policies?: ValidatingPlugin | undefined;
  /** Absent = no webhook is asked. */
  readonly webhooks?: WebhookPlugins | undefined;
  /** Who may make objects somebody's; absent = everyone. */
  readonly owners?: OwnerParts | undefined;
  /** Absent = no namespace is made for those who create objects. */
  readonly makeNamespace?: MakeNamespace | undefined;
  /** Who knows which images may run; absent = nobody. */
  readonly imageReviews?: AskImages | undefined;
  readonly clock: Clock;
  readonly settings?: AdmissionSettings | undefined;
  /** What those hold who write roles and bindings; absent = everyone may give away everything. */
  readonly escalation?: EscalationParts | undefined;
}

/** What a plug-in takes part in. */
export interface PluginParts {
  readonly mutating?: MutatingPlugin;
  readonly validating?: ValidatingPlugin;
  readonly reserving?: ReservingPlugin;
  /** Changes objects after all others, and has those asked again. */
  readonly outside?: WebhookPlugins['mutating'];
}

export interface PluginRow {
  readonly name: string;
  /** `with-nodes`: where nodes are told apart from other users. */
  readonly on: 'by-default' | 'when-asked' | 'with-nodes';
  readonly make?: (surroundings: AdmissionSurroundings) => PluginParts;
  /** What it cannot be without, once it is asked for. */
  readonly needs?: keyof AdmissionSettings;
}

const everyone = (): boolean => true;

const signers =
  (name: string): NonNullable<PluginRow['make']> =>
  ({ mayUseSigner }) => {
    const validating = signerPlugins(mayUseSigner ?? everyone).find((plugin) => plugin.name === name);
    return validating === undefined ? {} : { validating };
  };

export const ADMISSION_PLUGINS: readonly PluginRow[] = [
  { name: 'AlwaysAdmit', on: 'when-asked', make: () => ({}) },
  {
    name: 'NamespaceAutoProvision',
    on: 'when-asked',
    make: ({ makeNamespace }) => (makeNamespace === undefined ? {} : { mutating: namespaceAutoProvision(makeNamespace) }),
  },
  {
    name: 'NamespaceLifecycle',
    on: 'by-default',
    make: ({ names }) => ({ mutating: namespaceLifecycle(), validating: protectedNamespaces(names) }),
  },
  { name: 'NamespaceExists', on: 'when-asked', make: () => ({ mutating: namespaceExists() }) },
  {
    name: 'LimitPodHardAntiAffinityTopology',
    on: 'when-asked',
    make: ({ names }) => ({ validating: hardAntiAffinity(`${names.prefix}/hostname`) }),
  },
  {
    name: 'LimitRanger',
    on: 'by-default',
    make({ cache, names, resources }) {
      const { defaulting, bounding } = limitRanger({ cache, ranges: resources.require('limitranges').stored, names });
      return { mutating: defaulting, validating: bounding };
    },
  },
  {
    name: 'ServiceAccount',
    on: 'by-default',
    make({ cache, names, random, resources }) {
      const accounts = resources.require('serviceaccounts').stored;
      return serviceAccount({ names, random, account: (namespace, name) => cache.snapshot(accounts).get(`${namespace}/${name}`) });
    },
  },
  { name: 'NodeRestriction', on: 'with-nodes', make: ({ nodes }) => (nodes === undefined ? {} : nodeRestriction(nodes)) },
  { name: 'TaintNodesByCondition', on: 'by-default', make: ({ names }) => ({ mutating: taintNodes(names.prefix) }) },
  { name: 'AlwaysPullImages', on: 'when-asked', make: () => ({ mutating: alwaysPullImages() }) },
  {
    name: 'ImagePolicyWebhook',
    on: 'when-asked',
    needs: 'imagePolicy',
    make({ settings, imageReviews, names, clock }) {
      const { imagePolicy } = settings ?? {};
      return imagePolicy === undefined || imageReviews === undefined
        ? {}
        : { validating: imagePolicyWebhook({ settings: imagePolicy, ask: imageReviews, dialect: names.dialect, clock }) };
    },
  },
  {
    name: 'PodSecurity',
    on: 'by-default',
    make({ cache, resources, settings, podSecurityJudged, podSecurityExempted }) {
      const [namespaces, pods] = [resources.require('namespaces').stored, resources.require('pods').stored];
      const validating = podSecurity({
        settings: settings?.podSecurity,
        judged: podSecurityJudged,
        exempted: podSecurityExempted,
        namespace: (name) => cache.snapshot(namespaces).get(name),
        pods(namespace) {
          const bounds = [`${namespace}/`, `${namespace}0`] as const;
          const snapshot = cache.snapshot(pods);
          return { count: snapshot.count(...bounds), entries: snapshot.range(...bounds) };
        },
      });
      return { validating };
    },
  },
  { name: 'PodNodeSelector', on: 'when-asked', make: ({ settings }) => podNodeSelector(settings?.nodeSelectors) },
  {
    name: 'Priority',
    on: 'by-default',
    make({ cache, resources }) {
      const stored = resources.require('priorityclasses.scheduling.platform.io').stored;
      const classes = (): PriorityClasses => cache.snapshot(stored);
      return { mutating: podPriority(classes), validating: priorityClasses(classes) };
    },
  },
  { name: 'DefaultTolerationSeconds', on: 'by-default', make: ({ names }) => ({ mutating: defaultTolerationSeconds(names.prefix) }) },
  {
    name: 'PodTolerationRestriction',
    on: 'when-asked',
    make: ({ names, settings }) => podTolerationRestriction(names, settings?.tolerations),
  },
  {
    name: 'EventRateLimit',
    on: 'when-asked',
    needs: 'eventLimits',
    make: ({ settings, clock }) => ({ validating: eventRateLimit(settings?.eventLimits ?? [], clock) }),
  },
  { name: 'ExtendedResourceToleration', on: 'when-asked', make: () => ({ mutating: extendedResourceToleration() }) },
  {
    name: 'DefaultStorageClass',
    on: 'by-default',
    make({ cache, resources }) {
      const classes = resources.require('storageclasses.storage.platform.io').stored;
      return { mutating: defaultStorageClass(() => cache.snapshot(classes).range()) };
    },
  },
  { name: 'StorageObjectInUseProtection', on: 'by-default', make: ({ names }) => ({ mutating: storageProtection(names.prefix) }) },
  {
    name: 'OwnerReferencesPermissionEnforcement',
    on: 'when-asked',
    make: ({ owners }) => (owners === undefined ? {} : { validating: ownerPermissions(owners) }),
  },
  {
    name: 'PersistentVolumeClaimResize',
    on: 'by-default',
    make({ cache, resources }) {
      const classes = resources.require('storageclasses.storage.platform.io').stored;
      return { validating: claimResize((name) => cache.snapshot(classes).get(name)) };
    },
  },
  {
    name: 'RuntimeClass',
    on: 'by-default',
    make({ cache, resources }) {
      const classes = resources.require('runtimeclasses.node.platform.io').stored;
      return runtimeClass((name) => cache.snapshot(classes).get(name));
    },
  },
  { name: 'CertificateApproval', on: 'by-default', make: signers('CertificateApproval') },
  { name: 'CertificateSigning', on: 'by-default', make: signers('CertificateSigning') },
  { name: 'ClusterTrustBundleAttest', on: 'by-default' },
  { name: 'CertificateSubjectRestriction', on: 'by-default', make: signers('CertificateSubjectRestriction') },
  {
    name: 'DefaultIngressClass',
    on: 'by-default',
    make({ cache, resources }) {
      const classes = resources.require('ingressclasses.networking.platform.io').stored;
      return { mutating: defaultIngressClass(() => cache.snapshot(classes).range()) };
    },
  },
  { name: 'DenyServiceExternalIPs', on: 'when-asked', make: () => ({ validating: denyExternalIps() }) },
  {
    name: 'MutatingAdmissionWebhook',
    on: 'by-default',
    make: ({ webhooks }) => (webhooks === undefined ? {} : { outside: webhooks.mutating }),
  },
  {
    name: 'ValidatingAdmissionPolicy',
    on: 'by-default',
    make: ({ policies }) => (policies === undefined ? {} : { validating: policies }),
  },
  {
    name: 'ValidatingAdmissionWebhook',
    on: 'by-default',
    make: ({ webhooks }) => (webhooks === undefined ? {} : { validating: webhooks.validating }),
  },
  {
    name: 'ResourceQuota',
    on: 'by-default',
    make({ quotas, resources, settings, clock }) {
      if (quotas === undefined) return {};
      const parts = { ...quotas, clock, limited: settings?.limitedResources };
      return { reserving: resourceQuota({ ...parts, quotas: resources.require('resourcequotas').stored }) };
    },
  },
  { name: 'AlwaysDeny', on: 'when-asked', make: () => ({ mutating: alwaysDeny() }) },
];
