/** The chain of admission: the plug-ins of the table that are on, and after them what no flag turns off. */
import type { GeneratedNames } from '../../shared/names/dialect';
import type { Admission } from '../registry/admission';
import { createAdmission, type MutatingPlugin } from './chain';
import { roleEscalation } from './role-escalation';
import { serviceAddresses } from './service-addresses';
import { storageProtection } from './storage-protection';
import { AS_THE_TABLE_SAYS, isOn, type PluginSwitches } from './switches';
import { ADMISSION_PLUGINS, type AdmissionSurroundings } from './table';

/** Those that rest on nothing but the object: a thread has them too. */
export function pureAdmission({ prefix }: Pick<GeneratedNames, 'prefix'>, { disabled }: PluginSwitches = AS_THE_TABLE_SAYS): Admission {
  const plugin = storageProtection(prefix);
  return createAdmission({ mutating: disabled.includes(plugin.name) ? [] : [plugin], validating: [] });
}

export function defaultAdmission(surroundings: AdmissionSurroundings, switches: PluginSwitches = AS_THE_TABLE_SAYS): Admission {
  const { escalation, mayUseAddresses, nodes, meter } = surroundings;
  const made = ADMISSION_PLUGINS.filter((row) => isOn(row, switches, nodes !== undefined)).map(({ make }) => make?.(surroundings) ?? {});
  const reserving = made.find((parts) => parts.reserving !== undefined)?.reserving;
  const first: readonly MutatingPlugin[] = made.flatMap(({ mutating }) => (mutating === undefined ? [] : [mutating]));
  const again = createAdmission({ mutating: first, validating: [] });
  return createAdmission({
    meter,
    mutating: [
      ...first,
      ...made.flatMap(({ outside }) => outside?.((request) => again.mutate(request)) ?? []),
      ...(escalation === undefined ? [] : [roleEscalation(escalation)]),
    ],
    validating: [
      ...made.flatMap(({ validating }) => (validating === undefined ? [] : [validating])),
      ...(mayUseAddresses === undefined ? [] : [serviceAddresses(mayUseAddresses)]),
    ],
    ...(reserving === undefined ? {} : { reserving }),
  });
}
