/** The admission plug-ins of tests on other subjects: objects are validated, and no plug-in changes them. */
import type { PluginOverrides } from '../../../apiserver/admission/plugins/plugin-overrides';

/** Disables the default plug-ins that change pods, claims and nodes or that require other objects to exist. */
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
