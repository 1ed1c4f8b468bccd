/** Cases of proxied requests: objects, and the names under which pods, nodes and Services are requested. */
import type { Body } from '../reference';

/** An address of the machine of the reference server, on which nothing listens at port 1; recorded as this text. */
export const OWN_ADDRESS = '<own>';
export const NAMESPACE = 'proxy-recordings';
export const OTHER_NAMESPACE = 'proxy-recordings-other';

const reference = (name: string, more: Body = {}): Body => ({ targetRef: { kind: 'Pod', namespace: NAMESPACE, name, ...more } });

export interface PodCase {
  readonly namespace: string;
  readonly name: string;
  /** The first one is `status.podIP`. */
  readonly addresses: readonly string[];
}

export const podsAt = (own: string): readonly PodCase[] => [
  { namespace: NAMESPACE, name: 'web', addresses: [own, '2001:db8::7'] },
  { namespace: NAMESPACE, name: 'elsewhere', addresses: ['192.0.2.200'] },
  { namespace: NAMESPACE, name: 'nowhere', addresses: [] },
  { namespace: NAMESPACE, name: 'mapped', addresses: ['::ffff:0.0.0.0'] },
  { namespace: NAMESPACE, name: 'link-local', addresses: ['169.254.169.254'] },
  { namespace: OTHER_NAMESPACE, name: 'web', addresses: [own] },
];

/** `status.addresses` of nodes by name. */
export const nodesAt = (own: string): Readonly<Record<string, readonly Body[]>> => ({
  'proxied-own': [{ type: 'InternalIP', address: own }],
  'proxied-loopback': [{ type: 'InternalIP', address: '127.0.0.1' }],
  'proxied-mapped': [{ type: 'InternalIP', address: '::ffff:0.0.0.0' }],
  'proxied-mapped-hex': [{ type: 'InternalIP', address: '::FFFF:7f00:1' }],
  'proxied-localhost': [{ type: 'Hostname', address: 'localhost' }],
  'proxied-unknown': [{ type: 'Hostname', address: 'no.such.host.invalid' }],
  'proxied-userinfo': [{ type: 'Hostname', address: '192.0.2.66:80@127.0.0.1' }],
  'proxied-number': [{ type: 'Hostname', address: '127.1' }],
  'proxied-zone': [{ type: 'InternalIP', address: 'fe80::1%lo' }],
});

interface ServiceCase {
  /** Ports of the Service; `undefined` when there is no Service. */
  readonly ports: readonly Body[] | undefined;
  /** `undefined` when there are no Endpoints. */
  readonly subsets: readonly Body[] | undefined;
}

const PORT = { port: 1 };
const ONE = [{ port: 80 }];
const pointingTo = (...addresses: Body[]): ServiceCase => ({ ports: ONE, subsets: [{ addresses, ports: [PORT] }] });

export const servicesAt = (own: string): Readonly<Record<string, ServiceCase>> => ({
  referring: pointingTo({ ip: own, ...reference('web') }),
  'by-hand': pointingTo({ ip: own }),
  'other-namespace': pointingTo({ ip: own, ...reference('web', { namespace: OTHER_NAMESPACE }) }),
  'no-namespace': pointingTo({ ip: own, ...reference('web', { namespace: '' }) }),
  'other-pod': pointingTo({ ip: own, ...reference('elsewhere') }),
  'pod-without-address': pointingTo({ ip: own, ...reference('nowhere') }),
  'absent-pod': pointingTo({ ip: own, ...reference('none') }),
  'no-name': pointingTo({ ip: own, ...reference('') }),
  'other-kind': pointingTo({ ip: own, ...reference('web', { kind: 'Node' }) }),
  'other-uid': pointingTo({ ip: own, ...reference('web', { uid: 'another' }) }),
  'one-of-many': pointingTo({ ip: '192.0.2.201' }, { ip: '192.0.2.202', ...reference('web') }, { ip: own, ...reference('web') }),
  'one-of-many-subsets': {
    ports: ONE,
    subsets: [
      { addresses: [{ ip: '192.0.2.201' }], ports: [{ port: 81 }] },
      { addresses: [{ ip: own, ...reference('web') }], ports: [PORT] },
    ],
  },
  'not-ready': { ports: ONE, subsets: [{ notReadyAddresses: [{ ip: own, ...reference('web') }], ports: [PORT] }] },
  empty: { ports: ONE, subsets: [] },
  bare: { ports: ONE, subsets: undefined },
  serviceless: { ports: undefined, subsets: [{ addresses: [{ ip: own, ...reference('web') }], ports: [PORT] }] },
  named: {
    ports: [
      { name: 'web', port: 80 },
      { name: 'admin', port: 81 },
    ],
    subsets: [
      {
        addresses: [{ ip: own, ...reference('web') }],
        ports: [
          { name: 'web', port: 1 },
          { name: 'extra', port: 1 },
        ],
      },
    ],
  },
});

const INVALID = ['a:b:c:d', 'ftp:NAME:80', 'HTTP:NAME:80', ':NAME', 'https::80'];
const invalidFor = (name: string): readonly string[] => INVALID.map((text) => text.replace('NAME', name));

/** Names in proxy requests, by resource. */
export const REQUESTED_NAMES: Readonly<Record<'pods' | 'nodes' | 'services', readonly string[]>> = {
  pods: [
    ...['web:1', 'web:01', 'http:web:1', ':web:1', 'none', 'none:80', 'nowhere', 'nowhere:80', 'mapped:80', 'link-local:80'],
    ...invalidFor('web'),
  ],
  nodes: [
    ...['proxied-own:1', 'http:proxied-own:1', 'proxied-none', 'proxied-loopback', 'proxied-loopback:80', 'proxied-mapped'],
    ...['proxied-mapped-hex:80', 'proxied-localhost', 'https:proxied-localhost:1', 'proxied-unknown', 'proxied-userinfo'],
    ...['proxied-number', 'proxied-zone'],
    ...invalidFor('proxied-own'),
  ],
  services: [
    ...Object.keys(servicesAt('')),
    ...['referring:80', 'referring:', ':referring:80', 'https:by-hand:80', 'empty:80', 'https:empty:80', 'bare:80', 'http:bare:80'],
    ...['serviceless:80', 'none', 'none:80', 'none:web'],
    ...['named:web', 'named:80', 'named:080', 'named:+80', 'named:81', 'https:named:81', 'named:admin', 'named:extra', 'named:none'],
    ...['named:', 'named:99', 'named:0', 'named:-1', 'named:80.0', 'named:99999999999999999999', 'named:web@127.0.0.1'],
    ...invalidFor('referring'),
  ],
};
