/** Bootstrap tokens: when they go, and what they sign. */
import type { Body } from '../reference';
import { create, patch, remove, type Act, type Look, type Scenario, type ScenarioStep } from './scenario';

const SECRETS = '/api/v1/namespaces/kube-system/secrets';
const MAPS = '/api/v1/namespaces/kube-public/configmaps';
const INFO = `${MAPS}/cluster-info`;
const TYPE = 'bootstrap.kubernetes.io/token';

const nameOf = (id: string): string => `bootstrap-token-${id}`;
const at = (id: string): string => `${SECRETS}/${nameOf(id)}`;
const drop = (id: string): Act => remove(at(id));
const set = (id: string, stringData: Body): Act => patch(at(id), { stringData });

interface Token {
  readonly name?: string;
  readonly type?: string;
  readonly metadata?: Body;
}

/** A token that may sign and says who may join, and what it says otherwise; null = it says nothing of it. */
function token(id: string, data: Body = {}, { name = nameOf(id), type = TYPE, metadata = {} }: Token = {}): Act {
  const usual = { 'token-id': id, 'token-secret': 'abcdefghij012345', 'usage-bootstrap-signing': 'true', ...data };
  const stringData = Object.fromEntries(Object.entries(usual).filter(([, value]) => value !== null));
  return create(SECRETS, { metadata: { name, ...metadata }, type, stringData });
}

interface Play {
  readonly steps: readonly ScenarioStep[];
  /** Of tokens that are left. */
  readonly ids?: readonly string[];
  readonly others?: readonly string[];
}

function cleaning(name: string, { steps, ids = [], others = [] }: Play): Scenario {
  const looks: readonly Look[] = [
    { path: SECRETS, members: ['type'], names: [...ids.map(nameOf), ...others] },
    { path: 'secrets', members: ['type'] },
  ];
  return { name, looks, steps, leftovers: [...ids.map(at), ...others.map((other) => `${SECRETS}/${other}`)] };
}

const EXPIRES = 'expiration';
const LONG_MS = 5_500;

export const TOKEN_CLEANER: readonly Scenario[] = [
  cleaning('cl-over', {
    ids: ['clov01', 'clov02'],
    steps: [
      { title: 'one that is over', acts: [token('clov01', { [EXPIRES]: '$NOW-60s' })] },
      { title: 'one that ends this moment', acts: [token('clov02', { [EXPIRES]: '$NOW+0s' })] },
    ],
  }),
  cleaning('cl-soon', {
    ids: ['clso01', 'clso02'],
    steps: [
      {
        title: 'of two the one that ends soon',
        acts: [token('clso01', { [EXPIRES]: '$NOW+3s' }), token('clso02', { [EXPIRES]: '$NOW+3600s' })],
        restMs: LONG_MS,
      },
    ],
  }),
  cleaning('cl-never', {
    ids: ['clne01', 'clne02'],
    steps: [
      { title: 'without an end', acts: [token('clne01')] },
      { title: 'with an empty end', acts: [token('clne02', { [EXPIRES]: '' })] },
      { title: 'which gets one', acts: [set('clne02', { [EXPIRES]: '$NOW-1s' })] },
    ],
  }),
  cleaning('cl-broken', {
    ids: ['clbr01', 'clbr02', 'clbr03', 'clbr04'],
    steps: [
      { title: 'an end that cannot be read', acts: [token('clbr01', { [EXPIRES]: 'tomorrow' })] },
      { title: 'a day', acts: [token('clbr02', { [EXPIRES]: '2099-01-01' })] },
      { title: 'another zone', acts: [token('clbr03', { [EXPIRES]: '2099-01-01T00:00:00+05:00' })] },
      { title: 'parts of a second', acts: [token('clbr04', { [EXPIRES]: '2099-01-01T00:00:00.5Z' })] },
    ],
  }),
  cleaning('cl-others', {
    ids: ['clot01', 'clot02'],
    others: ['cl-another-name'],
    steps: [
      { title: 'of another type', acts: [token('clot01', { [EXPIRES]: '$NOW-60s' }, { type: 'Opaque' })] },
      {
        title: 'in another namespace',
        acts: [
          create('secrets', {
            metadata: { name: nameOf('clot02') },
            type: TYPE,
            stringData: { 'token-id': 'clot02', [EXPIRES]: '$NOW-60s' },
          }),
        ],
      },
      { title: 'under another name', acts: [token('clot03', { [EXPIRES]: '$NOW-60s' }, { name: 'cl-another-name' })] },
      { title: 'without an id', acts: [token('clot02', { 'token-id': null, [EXPIRES]: '$NOW-60s' })] },
    ],
  }),
  cleaning('cl-moved', {
    ids: ['clmo01', 'clmo02'],
    steps: [
      {
        title: 'an end that is put off',
        acts: [token('clmo01', { [EXPIRES]: '$NOW+2s' }), set('clmo01', { [EXPIRES]: '$NOW+3600s' })],
        restMs: LONG_MS,
      },
      { title: 'an end that is brought forward', acts: [set('clmo01', { [EXPIRES]: '$NOW+2s' })], restMs: LONG_MS },
      { title: 'one of the same name after it', acts: [token('clmo01', { [EXPIRES]: '$NOW+3600s' })] },
    ],
  }),
  cleaning('cl-held', {
    ids: ['clhe01'],
    steps: [
      { title: 'a finalizer', acts: [token('clhe01', { [EXPIRES]: '$NOW-60s' }, { metadata: { finalizers: ['example.com/held'] } })] },
      { title: 'it is taken away', acts: [patch(at('clhe01'), { metadata: { finalizers: null } })] },
    ],
  }),
];

const KUBECONFIG = 'apiVersion: v1\nkind: Config\nclusters:\n- name: ""\n  cluster:\n    server: https://192.0.2.1:6443\n';
const info = (data: Body = { kubeconfig: KUBECONFIG }, more: Body = {}): Act =>
  create(MAPS, { metadata: { name: 'cluster-info' }, data, ...more });
const setInfo = (data: Body): Act => patch(INFO, { data });

function signing(name: string, { steps, ids = [], others = [] }: Play): Scenario {
  const looks: readonly Look[] = [{ path: MAPS, members: ['data', 'binaryData', 'immutable'], names: ['cluster-info'] }];
  return { name, looks, steps, leftovers: [INFO, ...ids.map(at), ...others.map((other) => `${SECRETS}/${other}`)], shares: 'cluster-info' };
}

export const BOOTSTRAP_SIGNER: readonly Scenario[] = [
  signing('sg-ordinary', {
    ids: ['sgor01', 'sgor02'],
    steps: [
      { title: 'no token', acts: [info()] },
      { title: 'a token', acts: [token('sgor01')] },
      { title: 'another one', acts: [token('sgor02', { 'token-secret': '0123456789abcdef', [EXPIRES]: '$NOW+3600s' })] },
      { title: 'the first one goes', acts: [drop('sgor01')] },
      { title: 'the second one goes', acts: [drop('sgor02')] },
    ],
  }),
  signing('sg-changed', {
    ids: ['sgch01'],
    steps: [
      { title: 'a token before what it signs', acts: [token('sgch01'), info({ kubeconfig: KUBECONFIG, other: 'o' })] },
      { title: 'what is signed changes', acts: [setInfo({ kubeconfig: 'x: ü' })] },
      { title: 'the secret changes', acts: [set('sgch01', { 'token-secret': 'fedcba9876543210' })] },
      { title: 'a signature is forged', acts: [setInfo({ 'jws-kubeconfig-sgch01': 'forged' })] },
      { title: 'a signature is taken away', acts: [setInfo({ 'jws-kubeconfig-sgch01': null })] },
      { title: 'a signature of nobody', acts: [setInfo({ 'jws-kubeconfig-nobody': 'a..b', 'jws-kubeconfig-': 'c', 'jws-other': 'd' })] },
      { title: 'all is taken away', acts: [remove(INFO)] },
      { title: 'it is made again', acts: [info()] },
    ],
  }),
  signing('sg-unfit', {
    ids: ['sgun01', 'sgun02', 'sgun03', 'sgun04', 'sgun05', 'sgun06', 'sgun07', 'sgun08'],
    others: ['sgun09'],
    steps: [
      { title: 'one that must not sign', acts: [info(), token('sgun01', { 'usage-bootstrap-signing': null })] },
      { title: 'one that says so in capitals', acts: [token('sgun02', { 'usage-bootstrap-signing': 'True' })] },
      { title: 'one without a secret', acts: [token('sgun03', { 'token-secret': null })] },
      { title: 'one with an empty secret', acts: [token('sgun04', { 'token-secret': '' })] },
      { title: 'one with the id of another', acts: [token('sgun05', { 'token-id': 'sgun99' })] },
      { title: 'one of another type', acts: [token('sgun06', {}, { type: 'Opaque' })] },
      { title: 'one that is over', acts: [token('sgun07', { [EXPIRES]: 'tomorrow' })] },
      { title: 'one under another name', acts: [token('sgun09', {}, { name: 'sgun09' })] },
      { title: 'one that must sign after all', acts: [set('sgun01', { 'usage-bootstrap-signing': 'true' })] },
      { title: 'one that must not any more', acts: [set('sgun01', { 'usage-bootstrap-signing': 'false' })] },
    ],
  }),
  signing('sg-odd', {
    ids: ['sgod01', 'sgod02', 'sgod'],
    others: ['bootstrap-token-sgod.1'],
    steps: [
      { title: 'a secret of another form', acts: [info(), token('sgod01', { 'token-secret': 'ü & more' })] },
      { title: 'an id that is too short', acts: [token('sgod', { 'token-id': 'sgod' })] },
      { title: 'an id with a dot', acts: [token('sgod.1', { 'token-id': 'sgod.1' })] },
      { title: 'groups that cannot be', acts: [token('sgod02', { 'auth-extra-groups': 'nonsense' })] },
    ],
  }),
  signing('sg-nothing', {
    ids: ['sgno01'],
    steps: [
      { title: 'nothing to sign', acts: [token('sgno01')] },
      { title: 'no kubeconfig', acts: [info({ other: 'o', 'jws-kubeconfig-nobody': 'a..b' })] },
      { title: 'an empty kubeconfig', acts: [setInfo({ kubeconfig: '' })] },
      { title: 'a kubeconfig', acts: [setInfo({ kubeconfig: KUBECONFIG })] },
      { title: 'none again', acts: [setInfo({ kubeconfig: null })] },
    ],
  }),
  signing('sg-over', {
    ids: ['sgov01'],
    steps: [{ title: 'a token that ends', acts: [info(), token('sgov01', { [EXPIRES]: '$NOW+3s' })], restMs: LONG_MS }],
  }),
  signing('sg-unchangeable', {
    ids: ['sgim01'],
    steps: [{ title: 'what cannot be changed', acts: [info({ kubeconfig: KUBECONFIG }, { immutable: true }), token('sgim01')] }],
  }),
];
