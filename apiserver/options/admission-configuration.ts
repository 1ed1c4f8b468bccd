/**
 * Reads the AdmissionConfiguration file, which configures admission plug-ins, and the files that it refers to. Loaded
 * only when the flag is set.
 */
import path from 'node:path';
import { EVENT_LIMIT_FORMAT } from '../admission/plugins/event-rate-limit';
import { IMAGE_POLICY_FORMAT, imagePolicySettings } from '../admission/plugins/pods/image-policy';
import { NODE_SELECTOR_FORMAT, nodeSelectorSettings } from '../admission/plugins/scheduling/pod-node-selector';
import { POD_SECURITY_FORMAT, podSecuritySettings } from '../admission/plugins/pod-security/settings';
import { TOLERATION_FORMAT } from '../admission/plugins/scheduling/pod-toleration-restriction';
import { readLimitedResources, QUOTA_FORMAT } from '../admission/plugins/quota/limited-resources';
import type { AdmissionSettings } from '../admission/plugins/admission-settings';
import type { InvalidField } from '../../shared/configuration/configuration-error';
import { readKubeconfigUsers, type KubeconfigUsers } from '../../shared/client/kubeconfig/kubeconfig-users';
import { readConfiguration, readEmbeddedConfiguration, type ConfigurationFormat } from '../../shared/configuration/read-configuration';
import { anyObjectSchema, listSchema, objectSchema, stringSchema, type ValueOf } from '../../shared/configuration/schema';
import type { Clock } from '../../shared/runtime/clock';
import { ownMember } from '../../shared/values/json';
import { quote } from '../../shared/values/text/quote';

const PLUGIN = objectSchema({ name: stringSchema() }, { path: stringSchema(), configuration: anyObjectSchema });
const SCHEMA = objectSchema({}, { plugins: listSchema(PLUGIN) });

type ConfiguredPlugin = NonNullable<ValueOf<typeof SCHEMA>['plugins']>[number];

/** Reads the configuration of one plug-in, from its own file or from the AdmissionConfiguration itself. */
type ReadPluginConfig = <T>(...formats: readonly ConfigurationFormat<T>[]) => Promise<T>;

const KUBECONFIG = objectSchema({ kubeConfigFile: stringSchema() }, {});

function webhookFormat(kind: string, version: string): ConfigurationFormat<ValueOf<typeof KUBECONFIG>> {
  return {
    kind,
    apiVersions: [`apiserver.config.platform.io/${version}`],
    schema: KUBECONFIG,
    validate: ({ kubeConfigFile }) =>
      path.isAbsolute(kubeConfigFile) ? [] : [{ path: 'kubeConfigFile', reason: 'must be an absolute file path' }],
  };
}

/** The versions v1 and v1alpha1 have different names for the kind. */
const WEBHOOK_FORMATS = [webhookFormat('WebhookAdmissionConfiguration', 'v1'), webhookFormat('WebhookAdmission', 'v1alpha1')];

const webhookUsers = ({ kubeConfigFile }: ValueOf<typeof KUBECONFIG>): KubeconfigUsers => readKubeconfigUsers(kubeConfigFile);

/** By name of a configurable plug-in, the function that reads its configuration and returns its part of the settings. */
const PLUGIN_READERS: Readonly<Record<string, (read: ReadPluginConfig) => Promise<AdmissionSettings>>> = {
  MutatingAdmissionWebhook: async (read) => ({ mutatingWebhookUsers: webhookUsers(await read(...WEBHOOK_FORMATS)) }),
  ValidatingAdmissionWebhook: async (read) => ({ validatingWebhookUsers: webhookUsers(await read(...WEBHOOK_FORMATS)) }),
  EventRateLimit: async (read) => ({ eventLimits: (await read(EVENT_LIMIT_FORMAT)).limits }),
  ImagePolicyWebhook: async (read) => ({ imagePolicy: imagePolicySettings(await read(IMAGE_POLICY_FORMAT)) }),
  PodNodeSelector: async (read) => ({ nodeSelectors: nodeSelectorSettings(await read(NODE_SELECTOR_FORMAT)) }),
  PodSecurity: async (read) => ({ podSecurity: podSecuritySettings(await read(POD_SECURITY_FORMAT)) }),
  PodTolerationRestriction: async (read) => ({ tolerations: await read(TOLERATION_FORMAT) }),
  ResourceQuota: async (read) => ({ limitedResources: readLimitedResources(await read(QUOTA_FORMAT)) }),
};

const FORMAT: ConfigurationFormat<ValueOf<typeof SCHEMA>> = {
  kind: 'AdmissionConfiguration',
  apiVersions: ['apiserver.config.platform.io/v1', 'apiserver.config.platform.io/v1alpha1'],
  schema: SCHEMA,
  validate: ({ plugins = [] }) => plugins.flatMap((plugin, index) => pluginErrors(plugin, `plugins[${index}]`, plugins.slice(0, index))),
};

function pluginErrors(plugin: ConfiguredPlugin, fieldPath: string, earlier: readonly ConfiguredPlugin[]): readonly InvalidField[] {
  const { name, configuration } = plugin;
  const errors: InvalidField[] = [];
  if (ownMember(PLUGIN_READERS, name) === undefined) errors.push({ path: `${fieldPath}.name`, reason: unknownName(name) });
  if (earlier.some((other) => other.name === name)) {
    errors.push({ path: `${fieldPath}.name`, reason: `${quote(name)} may occur only once` });
  }
  if (hasPath(plugin) && configuration !== undefined) {
    errors.push({ path: fieldPath, reason: 'must have only one of path and configuration' });
  }
  return errors;
}

const unknownName = (name: string): string =>
  `must be a plug-in that can be configured (${Object.keys(PLUGIN_READERS).sort().join(', ')}), not ${quote(name)}`;

/** The settings of the plug-ins that the file configures. Rejects with the errors of any of the files. */
export async function readAdmissionConfiguration(file: string, clock: Clock): Promise<AdmissionSettings> {
  const { plugins = [] } = await readConfiguration(file, [FORMAT], clock);
  let settings: AdmissionSettings = {};
  for (const [index, plugin] of plugins.entries()) {
    const read = ownMember(PLUGIN_READERS, plugin.name);
    const hasConfiguration = hasPath(plugin) || plugin.configuration !== undefined;
    if (read === undefined || !hasConfiguration) continue;
    settings = { ...settings, ...(await read(createPluginReader(file, index, plugin, clock))) };
  }
  return settings;
}

const hasPath = ({ path: file }: ConfiguredPlugin): boolean => (file ?? '') !== '';

/** `index`: that of the plug-in in `file`, for errors. Its path is relative to the folder of `file`. */
function createPluginReader(
  file: string,
  index: number,
  { path: configPath, configuration }: ConfiguredPlugin,
  clock: Clock,
): ReadPluginConfig {
  return (...formats) =>
    configuration === undefined
      ? readConfiguration(path.resolve(path.dirname(file), configPath ?? ''), formats, clock)
      : readEmbeddedConfiguration(file, `plugins[${index}].configuration`, configuration, formats);
}
