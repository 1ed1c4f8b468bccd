/** Requests for certificates: who approves them, what is signed, and when they go. */
import type { Body, Json } from '../reference';
import { certificateRequest, type Requested } from './certificate-request';
import { create, patch, type Act, type Actor, type Scenario, type ScenarioStep } from './scenario';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const SIGNER = 'kubernetes.io/';
const [API_CLIENT, NODE_CLIENT, NODE_SERVER] = ['kube-apiserver-client', 'kube-apiserver-client-kubelet', 'kubelet-serving'].map(
  (name) => SIGNER + name,
);
const CLIENT = ['digital signature', 'key encipherment', 'client auth'];
const SERVER = ['digital signature', 'key encipherment', 'server auth'];
/** Certificates name no namespace: requests are made before it is known. */
const NAMED: Requested = { organizations: ['system:nodes'], commonName: 'system:node:one' };
const PERSON: Requested = { organizations: ['devs', 'testers'], commonName: 'alice' };

interface Wanted {
  readonly of: Requested | { readonly text: string };
  readonly signer: string | undefined;
  readonly usages: readonly string[];
  readonly seconds?: number;
}

const pathOf = (name: string): string => `${REQUESTS}/$NS-${name}`;

function request(name: string, { of, signer = '', usages, seconds }: Wanted, as?: Actor): Act {
  const pem = 'text' in of ? of.text : certificateRequest(of);
  const spec: Body = {
    request: Buffer.from(pem).toString('base64'),
    signerName: signer,
    usages: [...usages],
    ...(seconds === undefined ? {} : { expirationSeconds: seconds }),
  };
  return create(REQUESTS, { metadata: { name: `$NS-${name}` }, spec }, as);
}

/** Decided on by hand. */
function decide(name: string, type: 'Approved' | 'Denied'): Act {
  const condition: Body = { type, status: 'True', reason: 'Decided', message: 'by hand' };
  return patch(`${pathOf(name)}/approval`, { status: { conditions: [condition] } });
}

const changeStatus = (name: string, status: Json): Act => patch(`${pathOf(name)}/status`, { status });

const LOOKS = [{ path: REQUESTS, members: ['status'] }];

function scenario(name: string, names: readonly string[], ...steps: readonly ScenarioStep[]): Scenario {
  return { name: `csr-${name}`, looks: LOOKS, steps, leftovers: names.map(pathOf) };
}

/** All are approved, and those that the signer takes are signed. */
function signed(name: string, wanted: Readonly<Record<string, Wanted>>): Scenario {
  const names = Object.keys(wanted);
  return scenario(name, names, {
    title: 'approved by hand',
    acts: Object.entries(wanted).flatMap(([one, what]) => [request(one, what), decide(one, 'Approved')]),
  });
}

const apiClient = (of: Requested, usages: readonly string[] = CLIENT, seconds?: number): Wanted => ({
  of,
  signer: API_CLIENT,
  usages,
  ...(seconds === undefined ? {} : { seconds }),
});
const nodeClient = (of: Requested, usages: readonly string[] = CLIENT): Wanted => ({ of, signer: NODE_CLIENT, usages });
const nodeServer = (of: Requested, usages: readonly string[] = SERVER): Wanted => ({ of, signer: NODE_SERVER, usages });

const HOUR = 3_600;
const FOREIGN: Wanted = { of: PERSON, signer: 'example.com/signer', usages: CLIENT };
const ALL_NAMES = { dns: ['a.example.com', 'b'], ips: ['192.0.2.1'], emails: ['a@example.com'], uris: ['spiffe://a/b'] };

export const CERTIFICATES: readonly Scenario[] = [
  signed('api-client', {
    ordinary: apiClient(PERSON),
    nobody: apiClient({ organizations: ['devs'] }),
    nothing: apiClient({}),
    names: apiClient({ ...PERSON, ...ALL_NAMES }),
    unnamed: apiClient({ dns: ['a.example.com'] }),
    parts: apiClient({
      ...PERSON,
      others: [
        ['060355040b', 'unit'],
        ['0603550406', 'DE'],
        ['0603550407', 'place'],
        ['0603550408', 'province'],
        ['0603550409', 'street'],
        ['0603550411', 'code'],
        ['0603550405', 'serial'],
        ['060a0992268993f22c640101', 'user'],
        ['0603550403', 'bob'],
        ['060355040a', 'aces'],
      ],
    }),
    coded: apiClient({ commonName: '#0c0561646d696e', organizations: ['#0c0e73797374656d3a6d617374657273', '"a", b\\2Cc'] }),
    letters: apiClient({ commonName: 'Jürgen Ünïcode, Ltd.', organizations: ['a,b=c+d'] }),
  }),
  signed('api-client-uses', {
    server: apiClient(PERSON, SERVER),
    both: apiClient(PERSON, ['client auth', 'server auth']),
    none: apiClient(PERSON, ['digital signature']),
    only: apiClient(PERSON, ['client auth']),
    authority: apiClient(PERSON, ['client auth', 'cert sign']),
    any: apiClient(PERSON, ['any', 'client auth']),
    code: apiClient(PERSON, ['code signing', 'client auth', 'server auth']),
  }),
  signed('lifetimes', {
    least: apiClient(PERSON, CLIENT, 600),
    short: apiClient(PERSON, CLIENT, 8 * HOUR - 1),
    day: apiClient(PERSON, CLIENT, 8 * HOUR),
    year: apiClient(PERSON, CLIENT, 8760 * HOUR),
    more: apiClient(PERSON, CLIENT, 2_000_000_000),
  }),
  signed('node-client', {
    ordinary: nodeClient(NAMED),
    signature: nodeClient(NAMED, ['client auth', 'digital signature']),
    more: nodeClient(NAMED, [...CLIENT, 'server auth']),
    less: nodeClient(NAMED, ['client auth']),
    twice: nodeClient({ ...NAMED, organizations: ['system:nodes', 'system:nodes'] }),
    name: nodeClient({ ...NAMED, commonName: 'one' }),
    empty: nodeClient({ ...NAMED, commonName: 'system:node:' }),
    group: nodeClient({ ...NAMED, organizations: ['system:node'] }),
    groups: nodeClient({ ...NAMED, organizations: ['system:nodes', 'others'] }),
    groupless: nodeClient({ commonName: 'system:node:one' }),
    dns: nodeClient({ ...NAMED, dns: ['one'] }),
    ip: nodeClient({ ...NAMED, ips: ['192.0.2.1'] }),
    email: nodeClient({ ...NAMED, emails: ['a@example.com'] }),
    uri: nodeClient({ ...NAMED, uris: ['a://b'] }),
    all: nodeClient({ ...PERSON, ...ALL_NAMES }, ['any']),
    names: nodeClient({ ...NAMED, ...ALL_NAMES }, ['any']),
    few: nodeClient({ ...NAMED, emails: ['a@example.com'], ips: ['192.0.2.1'], uris: ['a://b'] }, ['any']),
    both: nodeClient({ ...PERSON, organizations: ['system:nodes'] }, ['any']),
  }),
  signed('node-server', {
    ordinary: nodeServer({ ...NAMED, dns: ['one', 'two'], ips: ['192.0.2.1'] }),
    signature: nodeServer({ ...NAMED, dns: ['one'] }, ['digital signature', 'server auth']),
    ip: nodeServer({ ...NAMED, ips: ['192.0.2.1', '192.0.2.2'] }),
    nameless: nodeServer(NAMED),
    uri: nodeServer({ ...NAMED, dns: ['one'], uris: ['a://b'] }),
    email: nodeServer({ ...NAMED, dns: ['one'], emails: ['a@example.com'] }),
    name: nodeServer({ ...NAMED, dns: ['one'], commonName: 'one' }),
    group: nodeServer({ ...NAMED, dns: ['one'], organizations: ['others'] }),
    uses: nodeServer({ ...NAMED, dns: ['one'] }, CLIENT),
    few: nodeServer({ ...NAMED, uris: ['a://b'], emails: ['a@example.com'] }, CLIENT),
    both: nodeServer({ ...NAMED, commonName: 'one', uris: ['a://b'] }, CLIENT),
  }),
  signed('others', {
    foreign: FOREIGN,
    several: apiClient(PERSON),
    text: { of: { text: `Here it is:\n${certificateRequest(PERSON)}and more` }, signer: API_CLIENT, usages: CLIENT },
    two: { of: { text: certificateRequest(PERSON) + certificateRequest(NAMED) }, signer: API_CLIENT, usages: CLIENT },
  }),
  scenario(
    'decisions',
    ['waits', 'denied', 'failed', 'issued'],
    {
      title: 'one waits, one is denied, one has failed before',
      acts: [
        request('waits', apiClient(PERSON)),
        request('denied', apiClient(PERSON)),
        decide('denied', 'Denied'),
        request('failed', apiClient(PERSON)),
        changeStatus('failed', { conditions: [{ type: 'Failed', status: 'True', reason: 'Before', message: 'by hand' }] }),
      ],
    },
    { title: 'the one that waited is approved', acts: [decide('waits', 'Approved')] },
    {
      title: 'the one that failed is approved',
      acts: [
        patch(
          `${pathOf('failed')}/approval`,
          [{ op: 'add', path: '/status/conditions/-', value: { type: 'Approved', status: 'True', reason: 'Decided', message: 'by hand' } }],
          'application/json-patch+json',
        ),
      ],
    },
  ),
  ...approvals(),
];

/** Machines that join, and nodes that renew what they have. */
function approvals(): readonly Scenario[] {
  const joining = (id: string): Actor => ({
    user: `system:bootstrap:${id}`,
    groups: ['system:bootstrappers', `system:bootstrappers:sc-${id}`],
  });
  const node = (name: string, group: string): Actor => ({
    user: `system:node:${name}`,
    groups: ['system:nodes', `system:bootstrappers:sc-${group}`],
  });
  const grant = (name: string, role: string, group: string): Act =>
    create(ROLES, {
      metadata: { name: `$NS-${name}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: `system:bootstrappers:sc-${group}` }],
    });
  const NODE_RIGHT = 'system:certificates.k8s.io:certificatesigningrequests:nodeclient';
  const SELF_RIGHT = 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient';
  const bindings = (...names: readonly string[]): readonly string[] => names.map((name) => `${ROLES}/$NS-${name}`);
  const withBindings = (one: Scenario, ...names: readonly string[]): Scenario => ({
    ...one,
    leftovers: [...(one.leftovers ?? []), ...bindings(...names)],
  });
  return [
    withBindings(
      scenario('join', ['one', 'signature', 'uses', 'names', 'group', 'server', 'client'], {
        title: 'a machine asks for itself',
        acts: [
          grant('ask', 'system:node-bootstrapper', 'join'),
          grant('approve', NODE_RIGHT, 'join'),
          request('one', nodeClient(NAMED), joining('join')),
          request('signature', nodeClient(NAMED, ['digital signature', 'client auth']), joining('join')),
          request('uses', nodeClient(NAMED, ['client auth']), joining('join')),
          request('names', nodeClient({ ...NAMED, dns: ['one'] }), joining('join')),
          request('group', nodeClient({ ...NAMED, organizations: ['others'] }), joining('join')),
          request('server', nodeServer({ ...NAMED, dns: ['one'] }), joining('join')),
          request('client', apiClient(NAMED), joining('join')),
        ],
      }),
      'ask',
      'approve',
    ),
    withBindings(
      scenario(
        'no-leave',
        ['one'],
        {
          title: 'a machine asks that may not',
          acts: [grant('ask', 'system:node-bootstrapper', 'leave'), request('one', nodeClient(NAMED), joining('leave'))],
        },
        { title: 'it may now', acts: [grant('approve', NODE_RIGHT, 'leave')] },
      ),
      'ask',
      'approve',
    ),
    withBindings(
      scenario('renewal', ['own', 'other', 'server'], {
        title: 'a node asks for itself and for another',
        acts: [
          grant('ask', 'system:node-bootstrapper', 'renew'),
          grant('approve', SELF_RIGHT, 'renew'),
          request('own', nodeClient(NAMED), node('one', 'renew')),
          request('other', nodeClient(NAMED), node('two', 'renew')),
          request('server', nodeServer({ ...NAMED, dns: ['one'] }), node('one', 'renew')),
        ],
      }),
      'ask',
      'approve',
    ),
    scenario('administrator', ['one', 'denied'], { title: 'one who may do everything asks', acts: [request('one', nodeClient(NAMED))] }),
  ];
}
