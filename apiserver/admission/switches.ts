/** Which plug-ins are on: the table's word, and what the flags say otherwise. Judges the flags in upstream's words. */
import { quote } from '../../shared/values/quote';
import type { AdmissionSettings } from './settings';
import { ADMISSION_PLUGINS, type PluginRow } from './table';

/** Names of plug-ins. */
export interface PluginSwitches {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

export const AS_THE_TABLE_SAYS: PluginSwitches = { enabled: [], disabled: [] };

/** `tellsNodes`: nodes are told apart from other users. */
export function isOn({ name, on }: Pick<PluginRow, 'name' | 'on'>, { enabled, disabled }: PluginSwitches, tellsNodes: boolean): boolean {
  if (disabled.includes(name)) return false;
  return enabled.includes(name) || on === 'by-default' || (on === 'with-nodes' && tellsNodes);
}

/** Names of those that are on and have not been told what they need. */
export const untold = (switches: PluginSwitches, settings: AdmissionSettings): readonly string[] =>
  ADMISSION_PLUGINS.filter((row) => row.needs !== undefined && settings[row.needs] === undefined && isOn(row, switches, false)).map(
    ({ name }) => name,
  );

/** What is wrong with the switches; undefined = nothing. */
export function switchesFault({ enabled, disabled }: PluginSwitches): string | undefined {
  const both = enabled.filter((name) => disabled.includes(name));
  const faults = [
    ...unknown('enable', enabled),
    ...unknown('disable', disabled),
    ...(both.length === 0
      ? []
      : [`[${[...new Set(both)].sort().join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`]),
    ...enabled
      .filter((name) => rowOf(name)?.make === undefined && rowOf(name) !== undefined)
      .map((name) => `enable-admission-plugins plugin ${quote(name)} is not available in this server`),
  ];
  return faults.length > 1 ? `[${faults.join(', ')}]` : faults[0];
}

const rowOf = (name: string): PluginRow | undefined => ADMISSION_PLUGINS.find((row) => row.name === name);

const unknown = (verb: 'enable' | 'disable', names: readonly string[]): readonly string[] =>
  names.filter((name) => rowOf(name) === undefined).map((name) => `${verb}-admission-plugins plugin ${quote(name)} is unknown`);
