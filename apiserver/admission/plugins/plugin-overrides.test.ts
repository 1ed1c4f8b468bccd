/** Flags that enable and disable admission plug-ins; every error but the last was observed at release 1.31.1. */
import { isPluginEnabled, pluginOverridesError } from './plugin-overrides';

const split = (names: string): readonly string[] => names.split(',').filter((name) => name !== '');

it.each([
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
])(
  'plug-in flags are checked for unknown and overlapping names: --enable-admission-plugins=%s --disable-admission-plugins=%s',
  (enabled, disabled, fault) => expect(pluginOverridesError({ enabled: split(enabled), disabled: split(disabled) })).toBe(fault),
);

it.each([
  ['by-default', false, '', '', true],
  ['by-default', false, '', 'a', false],
  ['explicitly', true, '', '', false],
  ['explicitly', false, 'a', '', true],
  ['with-nodes', false, '', '', false],
  ['with-nodes', true, '', '', true],
  ['with-nodes', false, 'a', '', true],
  ['with-nodes', true, '', 'a', false],
] as const)(
  'plug-in of default %s, with node identities: %s, enabled: %s, disabled: %s, runs: %s',
  (enabledWhen, hasNodeIdentities, enabled, disabled, expected) =>
    expect(isPluginEnabled({ name: 'a', enabledWhen }, { enabled: split(enabled), disabled: split(disabled) }, { hasNodeIdentities })).toBe(
      expected,
    ),
);
