/** Which admission plug-ins there are, in the order in which they run. */
import type { GeneratedNames } from '../../shared/names/dialect';
import type { Cache } from '../cache/cache';
import type { Resources } from '../registry/resources';
import type { Admission } from '../registry/admission';
import { createAdmission, type AdmissionPlugins, type MutatingPlugin, type ValidatingPlugin } from './chain';
import { defaultIngressClass } from './default-ingress-class';
import { limitRanger } from './limit-ranger';
import { namespaceLifecycle, protectedNamespaces } from './namespace-lifecycle';
import { storageProtection } from './storage-protection';
import { nodeRestriction, type NodeRestrictionParts } from './node-restriction';
import { roleEscalation, type EscalationParts } from './role-escalation';
import { resourceQuota, type ResourceQuotaParts } from './quota/resource-quota';
import { signerPlugins, type MayUseSigner } from './signers';
import { systemPriorities } from './system-priorities';
import { serviceAddresses, type MayUse } from './service-addresses';

/** Those outside, who are asked when all others have had their say. */
export interface WebhookPlugins {
  /** `again` = the plug-ins before it. */
  readonly mutating: (again: Admission['mutate']) => MutatingPlugin;
  readonly validating: ValidatingPlugin;
}

/** What plug-ins look at besides the request. */
export interface AdmissionSurroundings {
  readonly names: GeneratedNames;
  readonly cache: Pick<Cache, 'snapshot'>;
  readonly resources: Pick<Resources, 'require'>;
  /** What quotas leave room for; absent = they hold nobody back. */
  readonly quotas?: Pick<ResourceQuotaParts, 'guards' | 'clock'> & { readonly cache: ResourceQuotaParts['cache'] };
  /** Who may give Services addresses from outside the cluster; absent = everyone. */
  readonly mayUseAddresses?: MayUse | undefined;
  /** Who may decide on requests for certificates and sign them; absent = everyone. */
  readonly mayUseSigner?: MayUseSigner | undefined;
  /** What nodes are confined to; absent = they are as free as others. */
  readonly nodes?: NodeRestrictionParts | undefined;
  /** What those hold who write roles and bindings; absent = everyone may give away everything. */
  readonly escalation?: EscalationParts | undefined;
  /** Absent = no webhook is asked. */
  readonly webhooks?: WebhookPlugins | undefined;
}

const everyone = (): boolean => true;

/** Those that rest on nothing but the object: a thread has them too. */
export const pureAdmission = ({ prefix }: Pick<GeneratedNames, 'prefix'>): Admission =>
  createAdmission({ mutating: [storageProtection(prefix)], validating: [] });

export function defaultAdmission({
  names,
  cache,
  resources,
  mayUseAddresses,
  mayUseSigner,
  nodes,
  escalation,
  webhooks,
  quotas,
}: AdmissionSurroundings): Admission {
  const classes = resources.require('ingressclasses.networking.platform.io').stored;
  const limits = limitRanger({ cache, ranges: resources.require('limitranges').stored, names });
  const restriction = nodes === undefined ? undefined : nodeRestriction(nodes);
  const first: readonly MutatingPlugin[] = [
    namespaceLifecycle(),
    limits.defaulting,
    storageProtection(names.prefix),
    defaultIngressClass(() => cache.snapshot(classes).range()),
    ...(restriction === undefined ? [] : [restriction.ofChanges]),
    ...(escalation === undefined ? [] : [roleEscalation(escalation)]),
  ];
  const again = createAdmission({ mutating: first, validating: [] });
  const plugins: AdmissionPlugins = {
    mutating: [...first, ...(webhooks === undefined ? [] : [webhooks.mutating((request) => again.mutate(request))])],
    validating: [
      ...(restriction === undefined ? [] : [restriction.ofDeletions]),
      protectedNamespaces(names),
      limits.bounding,
      systemPriorities(),
      ...signerPlugins(mayUseSigner ?? everyone),
      ...(mayUseAddresses === undefined ? [] : [serviceAddresses(mayUseAddresses)]),
      ...(webhooks === undefined ? [] : [webhooks.validating]),
    ],
    ...(quotas === undefined ? {} : { reserving: resourceQuota({ ...quotas, quotas: resources.require('resourcequotas').stored }) }),
  };
  return createAdmission(plugins);
}
