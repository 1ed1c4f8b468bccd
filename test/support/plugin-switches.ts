/** Which admission plug-ins run where a test is not about them. */
import type { PluginOverrides } from '../../apiserver/admission/plugins/plugin-overrides';

/** What is sent is what is stored: nothing is added to pods, claims and nodes, and nothing else has to be there. */
export const NON_MUTATING_PLUGINS: PluginSwitches = {
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
