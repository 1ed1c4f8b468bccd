/** Builds the admission chain: the enabled plug-ins of the table, followed by the checks that no flag disables. */
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Admission } from '../../registry/admission';
import { createAdmissionChain } from '../chain';
import { escalationCheck } from './access/escalation-check';
import { serviceAddressPermissions } from './networking/service-address-permissions';
import { storageObjectInUseProtection } from './storage/storage-protection';
import { NO_OVERRIDES, isPluginEnabled, type PluginOverrides } from './plugin-overrides';
import { ADMISSION_PLUGINS, type AdmissionDependencies, type PluginRegistration } from './admission-plugins';

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
  const isEnabled = (row: PluginRegistration): boolean =>
    isPluginEnabled(row, overrides, { hasNodeIdentities: nodeRestriction !== undefined });
  const plugins = ADMISSION_PLUGINS.filter(isEnabled).map(({ create }) => create?.(deps) ?? {});
  const mutating = plugins.flatMap((instances) => instances.mutating ?? []);
  const validating = plugins.flatMap((instances) => instances.validating ?? []);
  const [reserving] = plugins.flatMap((instances) => instances.reserving ?? []);
  const reinvokedChain = createAdmissionChain({ mutating, validating: [] });
  const mutatingWebhooks = plugins.flatMap(({ mutatingWebhook }) => mutatingWebhook?.((request) => reinvokedChain.mutate(request)) ?? []);
  return createAdmissionChain({
    metrics,
    mutating: [...mutating, ...mutatingWebhooks, ...(escalation === undefined ? [] : [escalationCheck(escalation)])],
    validating: [...validating, ...(canUseAddresses === undefined ? [] : [serviceAddressPermissions(canUseAddresses)])],
    ...(reserving === undefined ? {} : { reserving }),
  });
}
