/** The admission plug-ins of tests whose subject is not admission: those that validate, so that objects are stored as sent. */
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
