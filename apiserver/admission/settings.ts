/** What a file says to plug-ins, by plug-in. Who is not spoken to does as it usually does. */
import type { EventLimits } from './event-rate-limit';
import type { ImagePolicySettings } from './image-policy';
import type { NodeSelectorSettings } from './node-selector';
import type { SecuritySettings } from './pod-security/settings';
import type { TolerationSettings } from './pod-toleration-restriction';
import type { LimitedResource } from './quota/limited';
import type { KubeconfigUsers } from '../../shared/client/kubeconfig/kubeconfig-users';

export interface AdmissionSettings {
  readonly nodeSelectors?: NodeSelectorSettings;
  readonly tolerations?: TolerationSettings;
  readonly eventLimits?: EventLimits;
  readonly podSecurity?: SecuritySettings;
  readonly limitedResources?: readonly LimitedResource[];
  readonly imagePolicy?: ImagePolicySettings;
  /** As whom webhooks of either type are asked. */
  readonly mutatingUsers?: KubeconfigUsers;
  readonly validatingUsers?: KubeconfigUsers;
}
