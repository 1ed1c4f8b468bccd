/** IngressClass: what is asked of the reference server. */
import { apiVersionIn } from '../../../shared/names/dialect';
import type { KindCases } from '../kind-cases';
import type { Body, Json } from '../reference';

const CONTROLLER = 'example.com/ingress';
const DEFAULT = 'ingressclass.kubernetes.io/is-default-class';

const controller = (name: Json): Body => ({ spec: { controller: name } });
const parameters = (members: Json): Body => ({ spec: { controller: CONTROLLER, parameters: members } });
const cluster = (members: Body): Body => parameters({ kind: 'K', name: 'n', ...members });
const inNamespace = (members: Body): Body => parameters({ kind: 'K', name: 'n', scope: 'Namespace', namespace: 'ns', ...members });
const annotated = (value: string): Body => ({ metadata: { annotations: { [DEFAULT]: value } }, ...controller(CONTROLLER) });

export const INGRESS_CLASSES: KindCases = {
  resource: 'ingressclasses',
  kind: 'IngressClass',
  apiVersion: apiVersionIn('kubernetes', 'networking.platform.io/v1'),
  namespaced: false,
  base: controller(CONTROLLER),
  bodies: {
    plain: controller(CONTROLLER),
    'no spec': {},
    'an empty spec': { spec: {} },
    'controller: empty': controller(''),
    'controller: another': controller('example.com/other'),
    'controller: deep': controller('example.com/a/b/c'),
    'controller: no slash': controller('example.com'),
    'controller: nothing after the slash': controller('example.com/'),
    'controller: nothing before the slash': controller('/a'),
    'controller: slash at the end': controller('example.com/a/'),
    'controller: two slashes': controller('example.com//a'),
    'controller: capitals': controller('Example.com/a'),
    'controller: domain and path wrong': controller('Example.com/a b'),
    'controller: path in capitals': controller('example.com/A_b.c'),
    'controller: one label': controller('a/b'),
    'controller: blank': controller('example.com/a b'),
    'controller: signs of a path': controller("example.com/a~b!$&'()*+,;=:@%41"),
    'controller: percent': controller('example.com/%'),
    'controller: question': controller('example.com/a?b'),
    'controller: dots': controller('example.com/..'),
    'controller: 250 bytes': controller(`a.b/${'a'.repeat(246)}`),
    'controller: 251 bytes': controller(`a.b/${'a'.repeat(247)}`),
    'controller: 251 bytes and wrong': controller({ $text: 'a', $times: 251 }),
    'parameters: null': parameters(null),
    'parameters: empty': parameters({}),
    'parameters: good': cluster({}),
    'parameters: group': cluster({ apiGroup: 'example.com' }),
    'parameters: empty group': cluster({ apiGroup: '' }),
    'parameters: malformed group': cluster({ apiGroup: '_' }),
    'parameters: product group': cluster({ apiGroup: apiVersionIn('kubernetes', 'networking.platform.io/v1').split('/')[0] ?? '' }),
    'parameters: no kind': parameters({ name: 'n' }),
    'parameters: no name': parameters({ kind: 'K' }),
    'parameters: kind with a slash': cluster({ kind: 'a/b' }),
    'parameters: name with percent': cluster({ name: '%' }),
    'parameters: name of dots': cluster({ name: '..' }),
    'parameters: scope Cluster': cluster({ scope: 'Cluster' }),
    'parameters: scope Cluster and a namespace': cluster({ scope: 'Cluster', namespace: 'ns' }),
    'parameters: scope Cluster and an empty namespace': cluster({ scope: 'Cluster', namespace: '' }),
    'parameters: no scope and a namespace': cluster({ namespace: 'ns' }),
    'parameters: scope Namespace': inNamespace({}),
    'parameters: scope Namespace without one': cluster({ scope: 'Namespace' }),
    'parameters: scope Namespace with an empty one': inNamespace({ namespace: '' }),
    'parameters: malformed namespace': inNamespace({ namespace: 'A_' }),
    'parameters: namespace with dots': inNamespace({ namespace: 'a.b' }),
    'parameters: empty scope': cluster({ scope: '' }),
    'parameters: null scope': cluster({ scope: null }),
    'parameters: unknown scope': cluster({ scope: 'cluster' }),
    'parameters: unknown scope and a namespace': cluster({ scope: 'x', namespace: 'ns' }),
    'everything wrong at once': {
      metadata: { labels: { a: '-' } },
      spec: { controller: 'x', parameters: { apiGroup: '_', kind: '/', name: '%', scope: 'x', namespace: '_' } },
    },
    'default class': annotated('true'),
    'default class of any text': annotated('maybe'),
    'a namespace in the metadata': { metadata: { namespace: 'ns' }, ...controller(CONTROLLER) },
  },
  changes: {
    'nothing changes': [controller(CONTROLLER), controller(CONTROLLER)],
    'controller changes': [controller(CONTROLLER), controller('example.com/b')],
    'controller becomes malformed': [controller(CONTROLLER), controller('b')],
    'controller goes': [controller(CONTROLLER), { spec: {} }],
    'spec goes': [controller(CONTROLLER), {}],
    'parameters come': [controller(CONTROLLER), cluster({})],
    'parameters go': [cluster({}), controller(CONTROLLER)],
    'parameters change': [cluster({}), inNamespace({ name: 'm' })],
    'default comes': [controller(CONTROLLER), annotated('true')],
  },
};
