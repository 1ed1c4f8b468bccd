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
 * The chain of worker threads, which process large objects without sending them to the server's thread. Only
 * StorageObjectInUseProtection runs in it, because this plug-in needs nothing but the object. The server's thread still
 * runs the chain of {@link createDefaultAdmission}.
 */
export function createWorkerAdmission({ prefix }: Pick<GeneratedNames, 'prefix'>, { disabled }: PluginOverrides = NO_OVERRIDES): Admission {
  const plugin = storageObjectInUseProtection(prefix);
  return createAdmissionChain({ mutating: disabled.includes(plugin.name) ? [] : [plugin], validating: [] });
}

/**
 * The chain of the server's thread:
 *
 * - mutating step: the plug-ins of the table; the mutating webhooks, which may reinvoke these plug-ins; the escalation
 *   check, which comes last because it must see the role that will be stored
 * - validating step: the plug-ins and webhooks of the table; the permissions for the addresses of Services
 * - reservation: ResourceQuota, unless it is disabled
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
