/** Admission plug-ins of tests that are not about them. */
import type { PluginOverrides } from '../../../apiserver/admission/plugins/plugin-overrides';

/**
 * Stores objects as they are sent: disables the plug-ins that change pods, claims and nodes or that need other objects.
 */
export const NON_MUTATING_PLUGINS: PluginOverrides = {
  enabled: [],
  disabled: [
    'ServiceAccount',
    'TaintNodesByCondition',
    'Priority',
    'DefaultTolerationSeconds',
    'DefaultStorageClass',
    'PersistentVolumeClaimResize',
    'RuntimeClass',
  ],
};
