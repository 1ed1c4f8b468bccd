import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { repository } from '../../test/support/repository';
import { useFolder } from '../../test/support/use-resource';
import { readAdmissionConfiguration } from './admission-configuration';

const folder = useFolder('admission');
const file = join(folder, 'admission.yaml');

function read(text: string): ReturnType<typeof readAdmissionConfiguration> {
  writeFileSync(file, text);
  return readAdmissionConfiguration(file, systemClock);
}

const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';
const plugin = (name: string, configuration: string): string => `${HEAD}plugins:\n- name: ${name}\n  configuration: ${configuration}\n`;

test('readAdmissionConfiguration reads a file together with the files that it names', async () => {
  const configuration = await readAdmissionConfiguration(join(repository, 'test/replay/configuration/admission.yaml'), systemClock);
  expect(configuration).toMatchObject({
    nodeSelectors: { clusterDefault: { pool: 'main' } },
    tolerations: { default: [{ key: 'by-default' }] },
    podSecurity: { defaults: { enforce: { level: 'baseline', minor: 30 }, warn: { level: 'restricted', version: 'latest' } } },
    limitedResources: [{ kind: { group: '', resource: 'pods' } }, { nameParts: [expect.any(String)] }, { kind: { group: 'apps' } }],
  });
  expect(configuration.eventLimits).toHaveLength(4);
});

test('readAdmissionConfiguration returns no settings for a file without plug-ins', async () => {
  expect(await read(HEAD)).toEqual({});
});

/** An admission configuration in which a webhook plug-in names the kubeconfig. */
const webhookPlugin = (kubeconfig: string, kind = 'WebhookAdmissionConfiguration', version = 'v1'): string =>
  plugin('ValidatingAdmissionWebhook', `{apiVersion: apiserver.config.k8s.io/${version}, kind: ${kind}, kubeConfigFile: "${kubeconfig}"}`);

describe('readAdmissionConfiguration with the kubeconfig of a webhook plug-in', () => {
  const kubeconfig = join(folder, 'users');
  beforeAll(() => writeFileSync(kubeconfig, 'users: [{name: "*", user: {token: t}}]'));

  test.each([
    ['WebhookAdmissionConfiguration', 'v1'],
    ['WebhookAdmission', 'v1alpha1'],
  ])('reads its users under the kind name %s of %s', async (kind, version) => {
    const { validatingWebhookUsers } = await read(webhookPlugin(kubeconfig, kind, version));
    expect([...(validatingWebhookUsers?.users.keys() ?? [])]).toEqual(['*']);
  });

  test('reads its users for MutatingAdmissionWebhook', async () => {
    const settings = await read(webhookPlugin(kubeconfig).replace('Validating', 'Mutating'));
    expect(Object.keys(settings)).toEqual(['mutatingWebhookUsers']);
  });
});

test.each<readonly [error: string, text: string]>([
  ['plugins[0].name: must be a plug-in that can be configured', plugin('Nope', '{}')],
  ['plugins[0].configuration.kind: must not be set', plugin('PodNodeSelector', '{apiVersion: v1, kind: Foo}')],
  ['podNodeSelectorPluginConfig.a: must be of the form a=b,c=d', plugin('PodNodeSelector', '{podNodeSelectorPluginConfig: {a: b}}')],
  ['configuration.kind: apiVersion and kind must be', plugin('ResourceQuota', '{limitedResources: []}')],
  [
    'plugins[0].configuration.defaults.enforce: must be one of',
    plugin(
      'PodSecurity',
      '{apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, defaults: {enforce: all}}',
    ),
  ],
  [
    'defaults.warn-version: must be "latest" or "v1.x"',
    plugin(
      'PodSecurity',
      '{apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, defaults: {warn-version: v2}}',
    ),
  ],
  ['plugins[0].configuration.kubeConfigFile: must be an absolute file path', webhookPlugin('users')],
  ['plugins[0].configuration.kubeConfigFile: must be an absolute file path', webhookPlugin('')],
  ['imagePolicy.allowTTL: must be <= 1800', plugin('ImagePolicyWebhook', '{imagePolicy: {kubeConfigFile: /f, allowTTL: 1801}}')],
  ['imagePolicy.denyTTL: must be >= -1', plugin('ImagePolicyWebhook', '{imagePolicy: {kubeConfigFile: /f, denyTTL: -5}}')],
  [
    'imagePolicy.retryBackoff: must be <= 300000',
    plugin('ImagePolicyWebhook', '{imagePolicy: {kubeConfigFile: /f, retryBackoff: 300001}}'),
  ],
  ['imagePolicy', plugin('ImagePolicyWebhook', '{imagePolicy: {defaultAllow: true}}')],
  ['cannot read /none/users: ', webhookPlugin('/none/users')],
  ['apiVersion and kind must be', webhookPlugin('/none/users', 'WebhookAdmission')],
  ['apiVersion and kind must be', webhookPlugin('/none/users', 'WebhookAdmissionConfiguration', 'v1alpha1')],
  ['ENOENT', `${HEAD}plugins:\n- name: EventRateLimit\n  path: none.yaml\n`],
  ['plugins[1].name: "EventRateLimit" may occur only once', `${HEAD}plugins:\n- name: EventRateLimit\n- name: EventRateLimit\n`],
  ['must have only one of path and configuration', `${HEAD}plugins:\n- name: EventRateLimit\n  path: a\n  configuration: {}\n`],
])('readAdmissionConfiguration rejects a file with the error: %s', async (error, text) => {
  await expect(read(text)).rejects.toThrow(error);
});
