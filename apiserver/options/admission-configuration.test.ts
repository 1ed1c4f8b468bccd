import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { repository } from '../../test/support/repository';
import { readAdmissionConfiguration } from './admission-configuration';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'admission-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function read(text: string): ReturnType<typeof readAdmissionConfiguration> {
  writeFileSync(join(folder, 'admission.yaml'), text);
  return readAdmissionConfiguration(join(folder, 'admission.yaml'), systemClock);
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

const webhooks = (file: string, kind = 'WebhookAdmissionConfiguration', version = 'v1'): string =>
  plugin('ValidatingAdmissionWebhook', `{apiVersion: apiserver.config.k8s.io/${version}, kind: ${kind}, kubeConfigFile: "${file}"}`);

test('readAdmissionConfiguration reads the kubeconfig of a webhook plug-in, under either kind name', async () => {
  const file = join(folder, 'users');
  writeFileSync(file, 'users: [{name: "*", user: {token: t}}]');
  for (const text of [webhooks(file), webhooks(file, 'WebhookAdmission', 'v1alpha1')])
    expect([...((await read(text)).validatingWebhookUsers?.users.keys() ?? [])]).toEqual(['*']);
  expect(Object.keys(await read(webhooks(file).replace('Validating', 'Mutating')))).toEqual(['mutatingWebhookUsers']);
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
  ['plugins[0].configuration.kubeConfigFile: must be an absolute file path', webhooks('users')],
  ['plugins[0].configuration.kubeConfigFile: must be an absolute file path', webhooks('')],
  ['imagePolicy.allowTTL: must be <= 1800', plugin('ImagePolicyWebhook', '{imagePolicy: {kubeConfigFile: /f, allowTTL: 1801}}')],
  ['imagePolicy.denyTTL: must be >= -1', plugin('ImagePolicyWebhook', '{imagePolicy: {kubeConfigFile: /f, denyTTL: -5}}')],
  [
    'imagePolicy.retryBackoff: must be <= 300000',
    plugin('ImagePolicyWebhook', '{imagePolicy: {kubeConfigFile: /f, retryBackoff: 300001}}'),
  ],
  ['imagePolicy', plugin('ImagePolicyWebhook', '{imagePolicy: {defaultAllow: true}}')],
  ['cannot read /none/users: ', webhooks('/none/users')],
  ['apiVersion and kind must be', webhooks('/none/users', 'WebhookAdmission')],
  ['apiVersion and kind must be', webhooks('/none/users', 'WebhookAdmissionConfiguration', 'v1alpha1')],
  ['ENOENT', `${HEAD}plugins:\n- name: EventRateLimit\n  path: none.yaml\n`],
  ['plugins[1].name: "EventRateLimit" may occur only once', `${HEAD}plugins:\n- name: EventRateLimit\n- name: EventRateLimit\n`],
  ['must have only one of path and configuration', `${HEAD}plugins:\n- name: EventRateLimit\n  path: a\n  configuration: {}\n`],
])('readAdmissionConfiguration rejects a file with the error: %s', async (error, text) => {
  await expect(read(text)).rejects.toThrow(error);
});
