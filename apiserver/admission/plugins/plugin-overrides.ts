/**
 * Determines from the table and the flags which admission plug-ins are enabled, and validates the flags. The messages
 * are upstream's, except the one for a plug-in that is not available in this server.
 */
import { quote } from '../../../shared/values/text/quote';
import type { AdmissionSettings } from './admission-settings';
import { ADMISSION_PLUGINS, type PluginRegistration } from './admission-plugins';

/** Plug-in names from `--enable-admission-plugins` and `--disable-admission-plugins`. */
export interface PluginOverrides {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

/** The flags are absent: the defaults of the table apply. */
export const NO_OVERRIDES: PluginOverrides = { enabled: [], disabled: [] };

/**
 * Whether the plug-in runs. `hasNodeIdentities`: whether the Node authorizer is on, so that requests of nodes can be
 * distinguished from those of other users.
 */
export function isPluginEnabled(
  { name, enabledWhen }: Pick<PluginRegistration, 'name' | 'enabledWhen'>,
  { enabled, disabled }: PluginOverrides,
  { hasNodeIdentities }: { readonly hasNodeIdentities: boolean },
): boolean {
  if (disabled.includes(name)) return false;
  return enabled.includes(name) || enabledWhen === 'by-default' || (enabledWhen === 'with-nodes' && hasNodeIdentities);
}

/** Names of enabled plug-ins without their required configuration. */
export function pluginsMissingSettings(overrides: PluginOverrides, settings: AdmissionSettings): readonly string[] {
  const missesSetting = ({ requiredSetting }: PluginRegistration): boolean =>
    requiredSetting !== undefined && settings[requiredSetting] === undefined;
  // Node identities make no difference here: NodeRestriction, the only plug-in that they enable, has no settings.
  const isEnabled = (registration: PluginRegistration): boolean => isPluginEnabled(registration, overrides, { hasNodeIdentities: false });
  return ADMISSION_PLUGINS.filter((registration) => missesSetting(registration) && isEnabled(registration)).map(({ name }) => name);
}

/** The error of the flags; `undefined` when they are valid. */
export function pluginOverridesError({ enabled, disabled }: PluginOverrides): string | undefined {
  const overlapping = enabled.filter((name) => disabled.includes(name));
  const errors = [...unknownPluginErrors('enable', enabled), ...unknownPluginErrors('disable', disabled)];
  if (overlapping.length > 0) {
    const names = [...new Set(overlapping)].sort().join(' ');
    errors.push(`[${names}] in enable-admission-plugins and disable-admission-plugins overlapped`);
  }
  for (const name of enabled.filter(isUnavailable))
    errors.push(`enable-admission-plugins plugin ${quote(name)} is not available in this server`);
  return errors.length > 1 ? `[${errors.join(', ')}]` : errors[0];
}

const registrationOf = (name: string): PluginRegistration | undefined =>
  ADMISSION_PLUGINS.find((registration) => registration.name === name);

const unknownPluginErrors = (verb: 'enable' | 'disable', names: readonly string[]): readonly string[] =>
  names.filter((name) => registrationOf(name) === undefined).map((name) => `${verb}-admission-plugins plugin ${quote(name)} is unknown`);

/** Whether the plug-in is in the table, but cannot be created. */
function isUnavailable(name: string): boolean {
  const registration = registrationOf(name);
  return registration !== undefined && registration.create === undefined;
}
