/** What becomes of Endpoints that somebody writes by hand. */
import { create, patch, remove, replace, type Look, type Scenario } from './scenario';
import type { Body } from '../reference';

const LOOKS: readonly Look[] = [{ path: '/apis/discovery.k8s.io/v1/namespaces/$NS/endpointslices' }];
const service = (name: string, spec: Body = {}): ReturnType<typeof create> =>
  create('services', { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
const endpoints = (name: string, subsets: Body[], metadata: Body = {}): ReturnType<typeof create> =>
  create('endpoints', { metadata: { name, ...metadata }, subsets });
const SUBSET = { addresses: [{ ip: '10.5.0.1' }, { ip: '10.5.0.2', hostname: 'two' }], ports: [{ name: 'http', port: 80 }] };

const scenario = (name: string, steps: Scenario['steps']): Scenario => ({ name, looks: LOOKS, steps });

export const MIRRORED_ENDPOINTS: readonly Scenario[] = [
  scenario('mirror-life', [
    {
      title: 'Endpoints of a Service without a selector',
      acts: [service('web'), endpoints('web', [SUBSET], { labels: { a: 'b' }, annotations: { c: 'd' } })],
    },
    {
      title: 'an address that is not ready',
      acts: [patch('endpoints/web', { subsets: [{ ...SUBSET, notReadyAddresses: [{ ip: '10.5.0.3' }] }] })],
    },
    {
      title: 'two subsets',
      acts: [patch('endpoints/web', { subsets: [SUBSET, { addresses: [{ ip: '10.5.0.9' }], ports: [{ name: 'http', port: 81 }] }] })],
    },
    {
      title: 'addresses of both families',
      acts: [patch('endpoints/web', { subsets: [{ addresses: [{ ip: '10.5.0.1' }, { ip: 'fd00::1' }], ports: [{ port: 80 }] }] })],
    },
    { title: 'none', acts: [patch('endpoints/web', { subsets: null })] },
    { title: 'again', acts: [patch('endpoints/web', { subsets: [SUBSET] })] },
    {
      title: 'they are not to be mirrored',
      acts: [patch('endpoints/web', { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } })],
    },
    { title: 'they are', acts: [patch('endpoints/web', { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': null } } })] },
    { title: 'they go', acts: [remove('endpoints/web')] },
  ]),
  scenario('mirror-others', [
    {
      title: 'without a Service',
      acts: [endpoints('alone', [SUBSET], { annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } })],
    },
    {
      title: 'what an election left',
      acts: [service('leader'), endpoints('leader', [SUBSET], { annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } })],
    },
    {
      title: 'of a name elsewhere',
      acts: [
        create('services', { metadata: { name: 'far' }, spec: { type: 'ExternalName', externalName: 'example.com' } }),
        endpoints('far', [SUBSET]),
      ],
    },
    { title: 'without ports', acts: [service('bare'), endpoints('bare', [{ addresses: [{ ip: '10.5.0.1' }] }])] },
    { title: 'a Service that comes later', acts: [endpoints('late', [SUBSET]), service('late')] },
  ]),
  scenario('mirror-hands', [
    { title: 'Endpoints', acts: [service('web'), endpoints('web', [SUBSET])] },
    {
      title: 'their slices are deleted',
      acts: [remove('/apis/discovery.k8s.io/v1/namespaces/$NS/endpointslices?labelSelector=kubernetes.io/service-name=web')],
    },
    {
      title: 'they are written again',
      acts: [
        replace('endpoints/web', {
          metadata: { name: 'web' },
          subsets: [
            {
              addresses: [{ ip: '10.5.0.7', nodeName: 'n', targetRef: { kind: 'Pod', name: 'p', namespace: '$NS' } }],
              ports: [{ name: 'http', port: 80, protocol: 'UDP', appProtocol: 'x' }],
            },
          ],
        }),
      ],
    },
  ]),
];
