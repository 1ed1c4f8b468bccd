/**
 * As whom webhooks are asked: kubeconfigs whose users are named after hosts, and the webhooks that are asked under each of them. Names are upstream's. The users of the
 * set `credentials` are as many ways to say who one is.
 */
import type { Body } from '../reference';

export interface Material {
  readonly certificate: string;
  readonly key: string;
}

export interface CredentialFiles {
  /** Where a kubeconfig names files. */
  readonly folder: string;
  readonly client: Material;
}

/** Where a webhook is: a port of a Service, or an address. */
export type Target = { readonly service: string; readonly namespace: string; readonly port: number } | { readonly url: string };

export interface CredentialSet {
  readonly kubeconfig: (files: CredentialFiles) => Body;
  readonly targets: readonly Target[];
}

const user = (name: string, members: Body): Body => ({ name, user: members });
const named = (name: string): Body => user(name, { token: `for ${name}` });
const config = (users: Body[], more: Body = {}): Body => ({ apiVersion: 'v1', kind: 'Config', users, ...more });

const at =
  (namespace: string) =>
  (service: string, port = 443): Target => ({ service, namespace, port });
const hook = at('hooks');

const context = (name: string): Body => ({ contexts: [{ name: 'c', context: { user: name } }], 'current-context': 'c' });

const encoded = (text: string): string => Buffer.from(text).toString('base64');

function kinds({ folder, client: { certificate, key } }: CredentialFiles): Readonly<Record<string, Body>> {
  const data = { 'client-certificate-data': encoded(certificate), 'client-key-data': encoded(key) };
  const files = { 'client-certificate': `${folder}/client.crt`, 'client-key': 'client.key' };
  const exec = (script: string, more: Body = {}): Body => ({
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/bin/sh',
      args: ['-c', script],
      interactiveMode: 'Never',
      ...more,
    },
  });
  const prints = (status: Body): string =>
    `cat <<'E'\n${JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status })}\nE`;
  return {
    nothing: {},
    token: { token: 't' },
    'token-file': { tokenFile: `${folder}/token` },
    'token-file-beside': { tokenFile: 'token' },
    'token-and-file': { token: 't', tokenFile: `${folder}/token` },
    'token-file-missing': { tokenFile: `${folder}/none` },
    'token-and-file-missing': { token: 't', tokenFile: `${folder}/none` },
    basic: { username: 'u', password: 'p:w' },
    'basic-without-password': { username: 'u' },
    'password-alone': { password: 'p' },
    'token-and-basic': { token: 't', username: 'u', password: 'p' },
    certificate: data,
    'certificate-files': files,
    'certificate-and-token': { ...data, token: 't' },
    'certificate-data-over-file': { ...data, 'client-certificate': `${folder}/none` },
    'certificate-without-key': { 'client-certificate-data': encoded(certificate) },
    'key-without-certificate': { 'client-key-data': encoded(key) },
    'certificate-file-missing': { 'client-certificate': `${folder}/none`, 'client-key': `${folder}/client.key` },
    'certificate-malformed': { 'client-certificate-data': encoded('x'), 'client-key-data': encoded('y') },
    impersonated: { token: 't', as: 'somebody' },
    'impersonated-groups': { token: 't', as: 'somebody', 'as-groups': ['g', 'h'], 'as-uid': '5', 'as-user-extra': { 'a.b/c': ['d'] } },
    'groups-alone': { token: 't', 'as-groups': ['g'] },
    'exec-token': exec(prints({ token: 'printed' })),
    'exec-certificate': exec(prints({ clientCertificateData: certificate, clientKeyData: key })),
    'exec-and-token': { token: 't', ...exec(prints({ token: 'printed' })) },
    'exec-fails': exec('exit 3'),
    'exec-without-command': exec('', { command: '' }),
    'exec-without-version': exec('', { apiVersion: '' }),
    'auth-provider': { 'auth-provider': { name: 'oidc' } },
  };
}

const NO_FILES: CredentialFiles = { folder: '', client: { certificate: '', key: '' } };

/** `port` = where the server is that is asked; users are named after it. */
export const credentialSets = (port: number): Readonly<Record<string, CredentialSet>> => ({
  hosts: {
    kubeconfig: () =>
      config(
        [
          'exact.hooks.svc:443',
          'exact.hooks.svc',
          'bare.hooks.svc',
          'other-port.hooks.svc:8443',
          '*.hooks.svc:443',
          '*.hooks.svc',
          'beneath.more.svc:443',
          '*.svc',
          '*.*.svc:8443',
          '*hooks.svc',
          'nobody',
          '127.0.0.1',
          `localhost:${port}`,
          '',
        ].map(named),
      ),
    targets: [
      ...['exact', 'bare', 'other-port', 'wild', 'hooks'].flatMap((name) => [hook(name), hook(name, 8443)]),
      ...['beneath', 'else'].flatMap((name) => [at('more')(name), at('more')(name, 8443)]),
      { url: `https://127.0.0.1:${port}/` },
      { url: `https://localhost:${port}/` },
      { url: `https://LOCALHOST:${port}/` },
    ],
  },
  addresses: {
    kubeconfig: () => config([`*.0.0.1:${port}`, `*:${port}`].map(named), context('nobody')),
    targets: [{ url: `https://127.0.0.1:${port}/` }, { url: `https://localhost:${port}/` }, hook('exact')],
  },
  star: {
    kubeconfig: () => config(['*', 'exact.hooks.svc', 'user'].map(named), context('user')),
    targets: [hook('exact'), hook('bare', 8443), { url: `https://127.0.0.1:${port}/` }],
  },
  context: {
    kubeconfig: () => config(['exact.hooks.svc', 'user'].map(named), context('user')),
    targets: [hook('exact'), hook('exact', 8443), { url: `https://127.0.0.1:${port}/` }],
  },
  credentials: {
    kubeconfig: (files) => config(Object.entries(kinds(files)).map(([name, members]) => user(`${name}.kinds.svc`, members))),
    targets: Object.keys(kinds(NO_FILES)).map((name) => at('kinds')(name)),
  },
});

export const nameOf = (target: Target): string =>
  'url' in target ? target.url : `${target.service}.${target.namespace}.svc:${target.port}`;

/** Who is behind the names of Services. */
export const SERVICE_NAMES: readonly string[] = [
  ...new Set(
    Object.values(credentialSets(0)).flatMap(({ targets }) =>
      targets.flatMap((target) => ('url' in target ? [] : [`${target.service}.${target.namespace}.svc`])),
    ),
  ),
];
