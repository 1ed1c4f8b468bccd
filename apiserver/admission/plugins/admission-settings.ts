/**
 * Configuration of admission plug-ins from the admission control file. A plug-in without an entry uses its defaults.
 */
import type { EventLimits } from './event-rate-limit';
import type { ImagePolicySettings } from './pods/image-policy';
import type { NodeSelectorSettings } from './scheduling/pod-node-selector';
import type { PodSecuritySettings } from './pod-security/settings';
import type { TolerationSettings } from './scheduling/pod-toleration-restriction';
import type { LimitedResource } from './quota/limited-resources';
import type { KubeconfigUsers } from '../../../shared/client/kubeconfig/kubeconfig-users';

/** The entries of the file by plug-in; absent = the plug-in has no entry. */
export interface AdmissionSettings {
  readonly nodeSelectors?: NodeSelectorSettings;
  readonly tolerations?: TolerationSettings;
  readonly eventLimits?: EventLimits;
  readonly podSecurity?: PodSecuritySettings;
  readonly limitedResources?: readonly LimitedResource[];
  readonly imagePolicy?: ImagePolicySettings;
  /** Credentials for calls of mutating webhooks. */
  readonly mutatingWebhookUsers?: KubeconfigUsers;
  /** Credentials for calls of validating webhooks. */
  readonly validatingWebhookUsers?: KubeconfigUsers;
}
