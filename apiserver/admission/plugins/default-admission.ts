/** Builds the admission chain: the enabled plug-ins of the table, followed by the checks that no flag disables. */
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Admission } from '../../registry/admission';
import { createAdmissionChain, type MutatingPlugin } from '../chain';
import { escalationCheck } from './access/escalation-check';
import { serviceAddressPermissions } from './networking/service-address-permissions';
import { storageObjectInUseProtection } from './storage/storage-protection';
import { NO_OVERRIDES, isPluginEnabled, type PluginOverrides } from './plugin-overrides';
import { ADMISSION_PLUGINS, type AdmissionDependencies } from './admission-plugins';

/**
 * The chain of worker threads: the plug-in for volumes and claims, which needs nothing but the object. The server's thread
 * runs it too.
 */
export function createWorkerAdmission({ prefix }: Pick<GeneratedNames, 'prefix'>, { disabled }: PluginOverrides = NO_OVERRIDES): Admission {
  const plugin = storageObjectInUseProtection(prefix);
  return createAdmissionChain({ mutating: disabled.includes(plugin.name) ? [] : [plugin], validating: [] });
}

/**
 * The chain of the server's thread. The mutating step: plug-ins of the table, their webhooks (which may have the plug-ins
 * reinvoked), and the escalation check, after all that may change the object and before the rules of its kind. The validating
 * step: plug-ins of the table, webhooks among them, and the permissions for Services' addresses. At most one plug-in
 * reserves quota.
 */
export function createDefaultAdmission(deps: AdmissionDependencies, overrides: PluginOverrides = NO_OVERRIDES): Admission {
  const { escalation, canUseAddresses, nodeRestriction, metrics } = deps;
  const plugins = ADMISSION_PLUGINS.filter((row) =>
    isPluginEnabled(row, overrides, { hasNodeIdentities: nodeRestriction !== undefined }),
  ).map(({ create }) => create?.(deps) ?? {});
  const reserving = plugins.find((instances) => instances.reserving !== undefined)?.reserving;
  const mutating: readonly MutatingPlugin[] = plugins.flatMap(({ mutating }) => (mutating === undefined ? [] : [mutating]));
  const reinvokedChain = createAdmissionChain({ mutating, validating: [] });
  return createAdmissionChain({
    metrics,
    mutating: [
      ...mutating,
      ...plugins.flatMap(({ mutatingWebhook }) => mutatingWebhook?.((request) => reinvokedChain.mutate(request)) ?? []),
      ...(escalation === undefined ? [] : [escalationCheck(escalation)]),
    ],
    validating: [
      ...plugins.flatMap(({ validating }) => (validating === undefined ? [] : [validating])),
      ...(canUseAddresses === undefined ? [] : [serviceAddressPermissions(canUseAddresses)]),
    ],
    ...(reserving === undefined ? {} : { reserving }),
  });
}
