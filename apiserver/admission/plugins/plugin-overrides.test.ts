/** Flags that enable and disable admission plug-ins; every error but the last was observed at release 1.31.1. */
import type { PluginRegistration } from './admission-plugins';
import { isPluginEnabled, pluginOverridesError, type PluginOverrides } from './plugin-overrides';

/** The value of a flag as a list. */
const split = (names: string): readonly string[] => names.split(',').filter((name) => name !== '');

it.each<[enabled: string, disabled: string, error: string | undefined]>([
  ['Nope,Foo', '', '[enable-admission-plugins plugin "Nope" is unknown, enable-admission-plugins plugin "Foo" is unknown]'],
  ['', 'Nope', 'disable-admission-plugins plugin "Nope" is unknown'],
  ['Priority', 'Priority', '[Priority] in enable-admission-plugins and disable-admission-plugins overlapped'],
  [
    'Priority,NodeRestriction',
    'NodeRestriction,Priority',
    '[NodeRestriction Priority] in enable-admission-plugins and disable-admission-plugins overlapped',
  ],
  [
    'Priority,Nope',
    'Priority,Foo',
    '[enable-admission-plugins plugin "Nope" is unknown, disable-admission-plugins plugin "Foo" is unknown, ' +
      '[Priority] in enable-admission-plugins and disable-admission-plugins overlapped]',
  ],
  ['NodeRestriction', 'NamespaceLifecycle,ImagePolicyWebhook', undefined],
  ['ClusterTrustBundleAttest', '', 'enable-admission-plugins plugin "ClusterTrustBundleAttest" is not available in this server'],
])('pluginOverridesError for --enable-admission-plugins=%s --disable-admission-plugins=%s is %j', (enabled, disabled, error) =>
  expect(pluginOverridesError({ enabled: split(enabled), disabled: split(disabled) })).toBe(error),
);

/** A plug-in `a` and the flags. */
interface PluginCase extends Partial<PluginOverrides> {
  readonly enabledWhen: PluginRegistration['enabledWhen'];
  readonly hasNodeIdentities?: boolean;
}

const isEnabled = ({ enabledWhen, enabled = [], disabled = [], hasNodeIdentities = false }: PluginCase): boolean =>
  isPluginEnabled({ name: 'a', enabledWhen }, { enabled, disabled }, { hasNodeIdentities });

describe('isPluginEnabled', () => {
  it.each<[title: string, plugin: PluginCase]>([
    ['that is on by default', { enabledWhen: 'by-default' }],
    ['that is off by default and named in --enable-admission-plugins', { enabledWhen: 'explicitly', enabled: ['a'] }],
    ['for nodes when nodes can be identified', { enabledWhen: 'with-nodes', hasNodeIdentities: true }],
    ['for nodes that is named in --enable-admission-plugins', { enabledWhen: 'with-nodes', enabled: ['a'] }],
  ])('enables a plug-in %s', (_title, plugin) => expect(isEnabled(plugin)).toBe(true));

  it.each<[title: string, plugin: PluginCase]>([
    ['that is named in --disable-admission-plugins', { enabledWhen: 'by-default', disabled: ['a'] }],
    ['that is off by default', { enabledWhen: 'explicitly', hasNodeIdentities: true }],
    ['for nodes when nodes cannot be identified', { enabledWhen: 'with-nodes' }],
    ['for nodes that is named in --disable-admission-plugins', { enabledWhen: 'with-nodes', disabled: ['a'], hasNodeIdentities: true }],
  ])('does not enable a plug-in %s', (_title, plugin) => expect(isEnabled(plugin)).toBe(false));
});
