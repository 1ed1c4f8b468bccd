/** ConfigMaps, Secrets, ServiceAccounts, Namespaces, Nodes and Leases: what is asked of the reference server. */
import { apiVersionIn } from '../../../shared/names/dialect';
import type { KindCases } from '../kind-cases';
import type { Body, Json } from '../reference';

const LONG = { $text: 'x', $times: 1_048_577 };
const core = { apiVersion: 'v1', namespaced: true } as const;

export const CONFIG_MAPS: KindCases = {
  ...core,
  resource: 'configmaps',
  kind: 'ConfigMap',
  base: { data: { a: 'b' } },
  bodies: {
    plain: { data: { a: 'b' } },
    'no data': {},
    'null data': { data: null },
    'an empty key': { data: { '': 'b' } },
    'a malformed key': { data: { 'a b': 'b' } },
    'a key of dots': { data: { '..': 'b' } },
    'a key that begins with dots': { data: { '..a': 'b' } },
    'a key of one dot': { data: { '.': 'b' } },
    'a key of 253': { data: { [`${'k'.repeat(253)}`]: 'b' } },
    'a key of 254': { data: { [`${'k'.repeat(254)}`]: 'b' } },
    'a number': { data: { a: 1 } },
    'a null value': { data: { a: null } },
    binary: { binaryData: { a: 'AAEC' } },
    'malformed binary': { binaryData: { a: '!' } },
    'a key in both': { data: { a: 'b' }, binaryData: { a: 'AAEC' } },
    'a malformed key in both': { data: { 'a b': 'b' }, binaryData: { 'a b': 'AAEC' } },
    'too long': { data: { a: LONG } },
    'exactly long enough': { data: { a: { $text: 'x', $times: 1_048_576 } } },
    immutable: { immutable: true, data: { a: 'b' } },
    'labels, annotations and keys wrong': { metadata: { labels: { 'a b': '-' }, annotations: { 'c d': 'x' } }, data: { '': '' } },
    'a malformed name': { metadata: { name: 'A_b' } },
    'a long name': { metadata: { name: 'a'.repeat(254) } },
    'owners without anything': { metadata: { ownerReferences: [{}] } },
    'a malformed finalizer': { metadata: { finalizers: ['plain', 'a.io/b', 'orphan'] } },
  },
  changes: {
    'nothing changes': [{ data: { a: 'b' } }, { data: { a: 'b' } }],
    'immutable comes': [{ data: { a: 'b' } }, { immutable: true, data: { a: 'c' } }],
    'immutable goes': [{ immutable: true, data: { a: 'b' } }, { data: { a: 'b' } }],
    'immutable is denied': [
      { immutable: true, data: { a: 'b' } },
      { immutable: false, data: { a: 'b' } },
    ],
    'data of an immutable one': [
      { immutable: true, data: { a: 'b' } },
      { immutable: true, data: { a: 'c' } },
    ],
    'binary data of an immutable one': [
      { immutable: true, data: { a: 'b' } },
      { immutable: true, data: { a: 'b' }, binaryData: { c: 'AAEC' } },
    ],
    'labels of an immutable one': [{ immutable: true }, { immutable: true, metadata: { labels: { a: 'b' } } }],
    'everything of an immutable one': [
      { immutable: true, data: { a: 'b' } },
      { data: { '': 'c' }, binaryData: { c: 'AAEC' } },
    ],
  },
};

const secret = (type: Json, data: Json = {}, more: Body = {}): Body => ({ type, data, ...more });
const text = (value: string): string => Buffer.from(value).toString('base64');
const dockerCfg = (value: Json): Body => secret('kubernetes.io/dockercfg', value);
const dockerJson = (value: Json): Body => secret('kubernetes.io/dockerconfigjson', value);
const token = (annotations: Json): Body => ({ type: 'kubernetes.io/service-account-token', metadata: { annotations } });

export const SECRETS: KindCases = {
  ...core,
  resource: 'secrets',
  kind: 'Secret',
  base: secret('Opaque', { a: text('b') }),
  bodies: {
    plain: secret('Opaque', { a: text('b') }),
    'no type': { data: { a: text('b') } },
    'a type of its own': secret('example.com/x', {}),
    'text data': { stringData: { a: 'b' } },
    'text and data': { data: { a: text('b') }, stringData: { a: 'c', d: 'e' } },
    'malformed data': secret('Opaque', { a: '!' }),
    'a malformed key': secret('Opaque', { 'a b': text('b') }),
    'a malformed key in text': { stringData: { 'a b': 'b' } },
    'too long': { stringData: { a: LONG } },
    'docker: nothing': dockerCfg({}),
    'docker: no JSON': dockerCfg({ '.dockercfg': text('x') }),
    'docker: JSON': dockerCfg({ '.dockercfg': text('{}') }),
    'docker: a list': dockerCfg({ '.dockercfg': text('[]') }),
    'docker json: nothing': dockerJson({}),
    'docker json: no JSON': dockerJson({ '.dockerconfigjson': text('{') }),
    'docker json: JSON': dockerJson({ '.dockerconfigjson': text('{"auths":{}}') }),
    'docker json: a text': dockerJson({ '.dockerconfigjson': text('"x"') }),
    'basic: nothing': secret('kubernetes.io/basic-auth'),
    'basic: a user': secret('kubernetes.io/basic-auth', { username: text('u') }),
    'basic: a password': secret('kubernetes.io/basic-auth', { password: text('p') }),
    'ssh: nothing': secret('kubernetes.io/ssh-auth'),
    'ssh: an empty key': secret('kubernetes.io/ssh-auth', { 'ssh-privatekey': '' }),
    'ssh: a key': secret('kubernetes.io/ssh-auth', { 'ssh-privatekey': text('k') }),
    'tls: nothing': secret('kubernetes.io/tls'),
    'tls: no key': secret('kubernetes.io/tls', { 'tls.crt': text('c') }),
    'tls: both': secret('kubernetes.io/tls', { 'tls.crt': text('c'), 'tls.key': text('k') }),
    'token: no annotation': token({}),
    'token: an empty annotation': token({ 'kubernetes.io/service-account.name': '' }),
    'bootstrap: nothing': secret('bootstrap.kubernetes.io/token'),
    immutable: secret('Opaque', {}, { immutable: true }),
    'everything wrong': { metadata: { labels: { a: '-' } }, ...secret('kubernetes.io/basic-auth', { 'a b': text('b') }) },
  },
  changes: {
    'nothing changes': [secret('Opaque'), secret('Opaque')],
    'the type goes': [secret('example.com/x'), { data: {} }],
    'the type changes': [secret('example.com/x'), secret('Opaque')],
    'text data comes': [secret('Opaque'), { stringData: { a: 'b' } }],
    'data of an immutable one': [secret('Opaque', {}, { immutable: true }), secret('Opaque', { a: text('b') }, { immutable: true })],
    'immutable goes': [secret('Opaque', { a: text('b') }, { immutable: true }), secret('Opaque', { a: text('b') })],
    'the type of an immutable one': [
      secret('Opaque', { a: text('b') }, { immutable: true }),
      secret('example.com/x', { a: text('b') }, { immutable: true }),
    ],
  },
};

export const SERVICE_ACCOUNTS: KindCases = {
  ...core,
  resource: 'serviceaccounts',
  kind: 'ServiceAccount',
  base: {},
  bodies: {
    plain: {},
    secrets: { secrets: [{ name: 'a' }, {}], imagePullSecrets: [{ name: 'b' }, {}] },
    'no mount': { automountServiceAccountToken: false },
    'a malformed name': { metadata: { name: 'A_b' } },
    'labels wrong': { metadata: { labels: { a: '-' } } },
    'enforced secrets': { metadata: { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } },
  },
  changes: {
    'nothing changes': [{}, {}],
    'secrets come': [{}, { secrets: [{ name: 'a' }] }],
    'labels go wrong': [{}, { metadata: { labels: { a: '-' } } }],
  },
};

const spec = (members: Json): Body => ({ spec: members });

export const NAMESPACES: KindCases = {
  resource: 'namespaces',
  kind: 'Namespace',
  apiVersion: 'v1',
  namespaced: false,
  base: {},
  bodies: {
    plain: {},
    'a malformed name': { metadata: { name: 'a.b' } },
    'a long name': { metadata: { name: 'a'.repeat(64) } },
    'a finalizer': spec({ finalizers: ['a.io/b'] }),
    'a malformed finalizer': spec({ finalizers: ['a b', 'plain', ''] }),
    'another name in the label': { metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } } },
    'a status': { status: { phase: 'Terminating' } },
    'labels wrong': { metadata: { labels: { a: '-' } }, ...spec({ finalizers: ['a b'] }) },
  },
  changes: {
    'nothing changes': [{}, {}],
    'finalizers come': [{}, spec({ finalizers: ['a.io/b'] })],
    'the label changes': [{}, { metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } } }],
    'labels go wrong': [{}, { metadata: { labels: { a: '-' } } }],
  },
  statuses: {
    'a phase': { status: { phase: 'Terminating' } },
    'an unknown phase': { status: { phase: 'What' } },
    'a condition': { status: { conditions: [{ type: 'A', status: 'True' }] } },
  },
};

const taints = (...list: Json[]): Body => spec({ taints: list });
const taint = (members: Body = {}): Body => ({ key: 'a', effect: 'NoSchedule', ...members });

export const NODES: KindCases = {
  resource: 'nodes',
  kind: 'Node',
  apiVersion: 'v1',
  namespaced: false,
  base: spec({ podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'], providerID: 'p' }),
  bodies: {
    plain: {},
    'a malformed name': { metadata: { name: 'A_b' } },
    'a range': spec({ podCIDR: '10.1.0.0/24' }),
    'a list of ranges': spec({ podCIDRs: ['10.1.0.0/24', 'fd00::/64'] }),
    'two ranges of a family': spec({ podCIDRs: ['10.1.0.0/24', '10.2.0.0/24'] }),
    'a range twice': spec({ podCIDRs: ['10.1.0.0/24', '10.1.0.0/24'] }),
    'a range twice among others': spec({ podCIDRs: ['10.1.0.0/24', 'fd00::/64', '10.1.0.0/24', 'fd00::/64'] }),
    'three ranges': spec({ podCIDRs: ['10.1.0.0/24', 'fd00::/64', '10.3.0.0/24'] }),
    'a malformed range': spec({ podCIDR: 'x', podCIDRs: ['x'] }),
    'another first range': spec({ podCIDR: '10.2.0.0/24', podCIDRs: ['10.1.0.0/24'] }),
    taint: taints(taint({ value: 'b' })),
    'taint: no key': taints({ effect: 'NoSchedule' }),
    'taint: a malformed key': taints(taint({ key: 'a b' })),
    'taint: a malformed value': taints(taint({ value: '-' })),
    'taint: no effect': taints({ key: 'a' }),
    'taint: an unknown effect': taints(taint({ effect: 'What' })),
    'taint: twice': taints(taint(), taint({ value: 'b' })),
    'taint: with a time': taints(taint({ effect: 'NoExecute', timeAdded: '2020-01-01T00:00:00Z' })),
    'addresses twice': {
      status: {
        addresses: [
          { type: 'InternalIP', address: '1.2.3.4' },
          { type: 'InternalIP', address: '1.2.3.4' },
        ],
      },
    },
    'a negative capacity': { status: { capacity: { cpu: '-1' } } },
    'an unknown capacity': { status: { capacity: { dogs: '1' } } },
    'a fraction of a device': { status: { capacity: { 'example.com/dog': '500m' } } },
    fractions: { status: { capacity: { cpu: '500m', memory: '500m', 'hugepages-2Mi': '500m', 'ephemeral-storage': '500m' } } },
    'a fraction of pods': { status: { capacity: { pods: '500m' } } },
    'a fraction of a request': { status: { capacity: { 'requests.example.com/dog': '500m' } } },
    'a config source': spec({ configSource: {} }),
    'everything wrong': { metadata: { labels: { a: '-' } }, ...spec({ podCIDRs: ['x'], taints: [{}] }) },
  },
  changes: {
    'a range comes': [{}, spec({ podCIDRs: ['10.1.0.0/24'] })],
    'a range changes': [spec({ podCIDRs: ['10.1.0.0/24'] }), spec({ podCIDRs: ['10.2.0.0/24'] })],
    'a range goes': [spec({ podCIDRs: ['10.1.0.0/24'] }), {}],
    'a second range comes': [spec({ podCIDRs: ['10.1.0.0/24'] }), spec({ podCIDRs: ['10.1.0.0/24', 'fd00::/64'] })],
    'a provider comes': [{}, spec({ providerID: 'p' })],
    'a provider changes': [spec({ providerID: 'p' }), spec({ providerID: 'q' })],
    'a taint comes': [{}, taints(taint())],
    unschedulable: [{}, spec({ unschedulable: true })],
    'labels go wrong': [{}, { metadata: { labels: { a: '-' } } }],
  },
  statuses: {
    capacity: { status: { capacity: { cpu: '1' } } },
    'a negative capacity': { status: { capacity: { cpu: '-1' }, allocatable: { memory: '-1' } } },
    'an unknown capacity': { status: { capacity: { dogs: '1', 'a b': '1' } } },
    'addresses twice': {
      status: {
        addresses: [
          { type: 'InternalIP', address: '1.2.3.4' },
          { type: 'InternalIP', address: '1.2.3.4' },
        ],
      },
    },
    'images without names': { status: { images: [{ sizeBytes: 1 }] } },
  },
};

const lease = (members: Json): Body => ({ spec: members });

export const LEASES: KindCases = {
  resource: 'leases',
  kind: 'Lease',
  apiVersion: apiVersionIn('kubernetes', 'coordination.platform.io/v1'),
  namespaced: true,
  base: lease({ holderIdentity: 'a', leaseDurationSeconds: 15 }),
  bodies: {
    plain: lease({ holderIdentity: 'a', leaseDurationSeconds: 15 }),
    'no spec': {},
    'no duration': lease({ holderIdentity: 'a', leaseDurationSeconds: 0 }),
    'a negative duration': lease({ leaseDurationSeconds: -1 }),
    'negative transitions': lease({ leaseTransitions: -1 }),
    times: lease({ acquireTime: '2020-01-01T00:00:00.000000Z', renewTime: '2020-01-01T00:00:00.123456Z' }),
    'a time without fractions': lease({ renewTime: '2020-01-01T00:00:00Z' }),
    'a malformed time': lease({ renewTime: 'yesterday' }),
    'an empty holder': lease({ holderIdentity: '' }),
    'a strategy': lease({ strategy: 'OldestEmulationVersion' }),
    'everything wrong': { metadata: { labels: { a: '-' } }, ...lease({ leaseDurationSeconds: 0, leaseTransitions: -1 }) },
  },
  changes: {
    'nothing changes': [lease({ holderIdentity: 'a' }), lease({ holderIdentity: 'a' })],
    'the holder changes': [lease({ holderIdentity: 'a' }), lease({ holderIdentity: 'b', leaseTransitions: 1 })],
    'the duration goes wrong': [lease({}), lease({ leaseDurationSeconds: 0 })],
  },
};
