/** What becomes of objects when those that own them go: each policy, chains and cycles, owners that never were, owners elsewhere, custom ones. */
import { create, patch, remove, replace, untilServed, type Act, type Look, type Scenario } from './scenario';
import type { Body } from '../reference';

const LOOKS: readonly Look[] = [
  { path: 'configmaps', members: [] },
  { path: 'secrets', members: [] },
];
const EVENTS: Look = { path: 'events', members: ['involvedObject', 'reason', 'message', 'type', 'source', 'reportingComponent'] };
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const ROLE_LOOK: Look = { path: ROLES, members: [] };
const CONTROLLERS = { path: 'replicationcontrollers', members: [] };
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const NOBODY = '00000000-1111-2222-3333-444444444444';
const HOLD = 'example.com/hold';
/** The reference's controllers are slow to begin, and to come back after a failure. */
const REST_MS = 9_000;
/** It looks for new kinds every 30 s. */
const DISCOVERY_MS = 50_000;

const owner = (name: string, more: Body = {}): Body => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: `<uid of ${name}>`, ...more });
const blocking = (name: string, more: Body = {}): Body => owner(name, { blockOwnerDeletion: true, ...more });
const absent = (name: string, more: Body = {}): Body => owner(name, { uid: NOBODY, ...more });

const map = (name: string, owners: Body[] = [], finalizers: string[] = []): Act =>
  create('configmaps', { metadata: { name, ownerReferences: owners, finalizers } });
const secret = (name: string, owners: Body[] = [], finalizers: string[] = []): Act =>
  create('secrets', { metadata: { name, ownerReferences: owners, finalizers } });

const background = (path: string): Act => remove(path, { propagationPolicy: 'Background' });
const foreground = (path: string): Act => remove(path, { propagationPolicy: 'Foreground' });
const orphan = (path: string): Act => remove(path, { propagationPolicy: 'Orphan' });
const free = (path: string): Act => patch(path, { metadata: { finalizers: null } });

const scenario = (name: string, steps: Scenario['steps'], more: Partial<Scenario> = {}): Scenario => ({
  name: `gc-${name}`,
  looks: LOOKS,
  ...more,
  steps: steps.map((step) => ({ restMs: REST_MS, ...step })),
});

/** An owner with a child that blocks, one that does not, and one that says nothing. */
const family: readonly Act[] = [
  map('o'),
  secret('blocks', [blocking('o')]),
  secret('does-not', [owner('o', { blockOwnerDeletion: false })]),
  secret('silent', [owner('o')]),
];
const heldFamily: readonly Act[] = [
  map('o'),
  secret('blocks', [blocking('o')], [HOLD]),
  secret('does-not', [owner('o', { blockOwnerDeletion: false })], [HOLD]),
  secret('silent', [owner('o')]),
];
const chain: readonly Act[] = [map('a'), map('b', [blocking('a')]), map('c', [blocking('b')]), map('d', [blocking('c')], [HOLD])];

const POLICIES: readonly Scenario[] = [
  scenario('background', [
    { title: 'a family', acts: family },
    { title: 'its owner goes', acts: [background('configmaps/o')] },
  ]),
  scenario('default', [
    { title: 'a family', acts: family },
    { title: 'its owner goes', acts: [remove('configmaps/o')] },
  ]),
  scenario('foreground', [
    { title: 'a family', acts: family },
    { title: 'its owner goes', acts: [foreground('configmaps/o')] },
  ]),
  scenario('orphan', [
    { title: 'a family', acts: family },
    { title: 'its owner goes', acts: [orphan('configmaps/o')] },
  ]),
  scenario(
    'default-orphan',
    [
      {
        title: 'a controller with a child',
        acts: [
          create('replicationcontrollers', {
            metadata: { name: 'rc' },
            spec: {
              replicas: 0,
              selector: { a: 'b' },
              template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
            },
          }),
          secret('child', [owner('rc', { kind: 'ReplicationController', blockOwnerDeletion: true })]),
        ],
      },
      { title: 'it goes', acts: [remove('replicationcontrollers/rc')] },
    ],
    { looks: [...LOOKS, CONTROLLERS] },
  ),
  scenario('foreground-held', [
    { title: 'a family with finalizers', acts: heldFamily },
    { title: 'its owner goes', acts: [foreground('configmaps/o')] },
    { title: 'the child that does not block is let go', acts: [free('secrets/does-not')] },
    { title: 'the one that blocks too', acts: [free('secrets/blocks')] },
  ]),
  scenario('foreground-not-held', [
    { title: 'a family', acts: [map('o'), secret('does-not', [owner('o', { blockOwnerDeletion: false })], [HOLD])] },
    { title: 'its owner goes', acts: [foreground('configmaps/o')] },
    { title: 'the child is let go', acts: [free('secrets/does-not')] },
  ]),
  scenario('background-held', [
    { title: 'a family with finalizers', acts: heldFamily },
    { title: 'its owner goes', acts: [background('configmaps/o')] },
    { title: 'the children are let go', acts: [free('secrets/does-not'), free('secrets/blocks')] },
  ]),
  scenario('held-owner', [
    { title: 'an owner with a finalizer', acts: [map('o', [], [HOLD]), secret('child', [blocking('o')])] },
    { title: 'it goes', acts: [background('configmaps/o')] },
    { title: 'it is let go', acts: [free('configmaps/o')] },
  ]),
  scenario('held-owner-foreground', [
    { title: 'an owner with a finalizer', acts: [map('o', [], [HOLD]), secret('child', [blocking('o')])] },
    { title: 'it goes', acts: [foreground('configmaps/o')] },
    { title: 'it is let go', acts: [free('configmaps/o')] },
  ]),
  scenario('policy-changes', [
    { title: 'a family with finalizers', acts: heldFamily },
    { title: 'its owner goes', acts: [foreground('configmaps/o')] },
    { title: 'as an orphaner', acts: [orphan('configmaps/o')] },
    { title: 'the children are let go', acts: [free('secrets/does-not'), free('secrets/blocks')] },
  ]),
  scenario('foreground-then-background', [
    { title: 'a family with finalizers', acts: heldFamily },
    { title: 'its owner goes', acts: [foreground('configmaps/o')] },
    { title: 'at once', acts: [background('configmaps/o')] },
    { title: 'the children are let go', acts: [free('secrets/does-not'), free('secrets/blocks')] },
  ]),
  scenario('childless', [
    { title: 'two without children', acts: [map('f'), map('o')] },
    { title: 'they go', acts: [foreground('configmaps/f'), orphan('configmaps/o')] },
  ]),
  scenario('wishes-of-children', [
    {
      title: 'children with finalizers of policies',
      acts: [
        map('o'),
        map('orphans', [owner('o')], ['orphan']),
        map('waits', [owner('o')], ['foregroundDeletion']),
        secret('of-orphans', [blocking('orphans')]),
        secret('of-waits', [blocking('waits')]),
      ],
    },
    { title: 'their owner goes', acts: [background('configmaps/o')] },
  ]),
];

const CHAINS: readonly Scenario[] = [
  scenario('chain-background', [
    { title: 'a chain', acts: chain },
    { title: 'its head goes', acts: [background('configmaps/a')] },
    { title: 'its end is let go', acts: [free('configmaps/d')] },
  ]),
  scenario('chain-foreground', [
    { title: 'a chain', acts: chain },
    { title: 'its head goes', acts: [foreground('configmaps/a')] },
    { title: 'its end is let go', acts: [free('configmaps/d')] },
  ]),
  scenario('chain-orphan', [
    { title: 'a chain', acts: chain },
    { title: 'its head goes', acts: [orphan('configmaps/a')] },
    { title: 'the next goes', acts: [background('configmaps/b')] },
    { title: 'its end is let go', acts: [free('configmaps/d')] },
  ]),
  scenario('chain-broken', [
    { title: 'a chain with a link that does not block', acts: [map('a'), map('b', [owner('a')]), map('c', [blocking('b')], [HOLD])] },
    { title: 'its head goes', acts: [foreground('configmaps/a')] },
    { title: 'its end is let go', acts: [free('configmaps/c')] },
  ]),
  scenario('orphan-many', [
    {
      title: 'an owner of many',
      acts: [map('o'), ...Array.from({ length: 40 }, (_, index) => secret(`child-${index}`, [blocking('o')]))],
    },
    { title: 'it goes', acts: [orphan('configmaps/o')] },
  ]),
  scenario('diamond', [
    {
      title: 'a diamond',
      acts: [map('a'), map('b', [blocking('a')]), map('c', [blocking('a')]), map('d', [blocking('b'), blocking('c')], [HOLD])],
    },
    { title: 'its head goes', acts: [foreground('configmaps/a')] },
    { title: 'its end is let go', acts: [free('configmaps/d')] },
  ]),
];

/** Makes the last an owner of the first. */
const close = (first: string, last: string): Act => patch(`configmaps/${first}`, { metadata: { ownerReferences: [blocking(last)] } });

const CYCLES: readonly Scenario[] = [
  scenario('cycle-background', [
    { title: 'two own each other', acts: [map('a'), map('b', [blocking('a')]), close('a', 'b')] },
    { title: 'one goes', acts: [background('configmaps/a')] },
  ]),
  scenario('cycle-foreground', [
    { title: 'two own each other', acts: [map('a'), map('b', [blocking('a')]), close('a', 'b')] },
    { title: 'one goes', acts: [foreground('configmaps/a')] },
  ]),
  scenario('cycle-orphan', [
    { title: 'two own each other', acts: [map('a'), map('b', [blocking('a')]), close('a', 'b')] },
    { title: 'one goes', acts: [orphan('configmaps/a')] },
  ]),
  scenario('cycle-of-three', [
    { title: 'three in a circle', acts: [map('a'), map('b', [blocking('a')]), map('c', [blocking('b')]), close('a', 'c')] },
    { title: 'one goes', acts: [foreground('configmaps/b')] },
  ]),
  scenario('self', [
    { title: 'one owns itself', acts: [map('a'), close('a', 'a')] },
    { title: 'it goes', acts: [background('configmaps/a')] },
  ]),
  scenario(
    'self-foreground',
    [
      { title: 'one owns itself', acts: [map('a'), close('a', 'a')] },
      { title: 'it goes', acts: [foreground('configmaps/a')] },
    ],
    { leftovers: ['configmaps/a?propagationPolicy=Background'] },
  ),
];

const OWNERS: readonly Scenario[] = [
  scenario('absent', [{ title: 'an owner that never was', acts: [secret('child', [absent('o')])] }]),
  scenario('absent-both', [
    { title: 'two owners that never were', acts: [secret('child', [absent('o'), absent('p', { kind: 'Secret' })])] },
  ]),
  scenario('absent-and-present', [
    { title: 'one of two owners never was', acts: [map('p'), secret('child', [absent('o'), blocking('p', { controller: true })])] },
    { title: 'the other one goes', acts: [foreground('configmaps/p')] },
  ]),
  scenario('one-of-two', [
    { title: 'two owners', acts: [map('o'), map('p'), secret('child', [blocking('o'), blocking('p')])] },
    { title: 'one goes', acts: [background('configmaps/o')] },
    { title: 'the other one goes', acts: [background('configmaps/p')] },
  ]),
  scenario('one-of-two-foreground', [
    { title: 'two owners', acts: [map('o'), map('p'), secret('child', [blocking('o'), blocking('p')])] },
    { title: 'one goes', acts: [foreground('configmaps/o')] },
  ]),
  scenario('one-of-two-orphan', [
    { title: 'two owners', acts: [map('o'), map('p'), secret('child', [blocking('o'), blocking('p')])] },
    { title: 'one goes', acts: [orphan('configmaps/o')] },
  ]),
  scenario('waiting-and-absent', [
    { title: 'an owner with a child that is held', acts: [map('o'), secret('held', [blocking('o')], [HOLD])] },
    {
      title: 'the owner waits, and another child has one that never was',
      acts: [foreground('configmaps/o'), secret('child', [blocking('o'), absent('p')])],
    },
    { title: 'it is let go', acts: [free('secrets/held')] },
  ]),
  scenario('other-uid', [{ title: 'the name of another', acts: [map('o'), secret('child', [absent('o')])] }]),
  scenario('re-created', [
    {
      title: 'an owner with a child that is held',
      acts: [map('o'), secret('child', [blocking('o')], [HOLD]), secret('free', [blocking('o')])],
    },
    { title: 'it comes back under its name', acts: [background('configmaps/o'), map('o')] },
    { title: 'the child is let go', acts: [free('secrets/child')] },
  ]),
  scenario('other-kind', [
    { title: 'the uid and name of an object of another kind', acts: [map('o'), secret('child', [owner('o', { kind: 'Secret' })])] },
  ]),
  scenario('other-name', [{ title: 'the uid under another name', acts: [map('o'), secret('child', [owner('o', { name: 'p' })])] }]),
  scenario('unknown-kind', [
    { title: 'an owner of an unknown kind', acts: [secret('child', [absent('o', { kind: 'Nothing' })])] },
    {
      title: 'and one that never was',
      acts: [
        patch('secrets/child', {
          metadata: { ownerReferences: [absent('o', { kind: 'Nothing' }), absent('p', { uid: NOBODY.replace('0', '1') })] },
        }),
      ],
    },
  ]),
  scenario('unknown-group', [
    {
      title: 'an owner of an unknown group',
      acts: [map('p'), secret('child', [absent('o', { apiVersion: 'nothing.example.com/v1' }), blocking('p')])],
    },
    { title: 'the other one goes', acts: [background('configmaps/p')] },
  ]),
  scenario('unknown-group-foreground', [
    {
      title: 'an owner of an unknown group',
      acts: [map('p'), secret('child', [absent('o', { apiVersion: 'nothing.example.com/v1' }), blocking('p')])],
    },
    { title: 'the other one goes', acts: [foreground('configmaps/p')] },
    { title: 'the child lets go', acts: [patch('secrets/child', { metadata: { ownerReferences: null } })] },
  ]),
  scenario('unknown-version', [
    {
      title: 'an owner in a version that is not served',
      acts: [secret('child', [absent('o', { apiVersion: 'apps/v1beta9', kind: 'Deployment' })])],
    },
  ]),
  scenario('other-version', [
    {
      title: 'owners in a version that is not the preferred one',
      acts: [
        create('/apis/autoscaling/v2/namespaces/$NS/horizontalpodautoscalers', {
          metadata: { name: 'h' },
          spec: { maxReplicas: 1, scaleTargetRef: { kind: 'X', name: 'x' } },
        }),
        secret('child', [owner('h', { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler' })]),
        secret('of-nobody', [absent('i', { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler' })]),
      ],
    },
    { title: 'it goes', acts: [foreground('/apis/autoscaling/v2/namespaces/$NS/horizontalpodautoscalers/h')] },
  ]),
  scenario(
    'events',
    [
      {
        title: 'an Event with an owner that never was',
        acts: [
          create('events', {
            metadata: { name: 'e', ownerReferences: [absent('o')] },
            involvedObject: { namespace: '$NS', kind: 'ConfigMap', name: 'o' },
            reason: 'x',
            message: 'x',
            type: 'Normal',
          }),
        ],
      },
    ],
    { looks: [EVENTS] },
  ),
];

const CHANGES: readonly Scenario[] = [
  scenario('reference-removed', [
    { title: 'a family', acts: family },
    {
      title: 'a child leaves it, and the owner goes',
      acts: [patch('secrets/blocks', { metadata: { ownerReferences: null } }), background('configmaps/o')],
    },
  ]),
  scenario('reference-added', [
    { title: 'one without an owner', acts: [secret('child')] },
    { title: 'it gets one that never was', acts: [patch('secrets/child', { metadata: { ownerReferences: [absent('o')] } })] },
  ]),
  scenario('reference-removed-while-waiting', [
    { title: 'a family with finalizers', acts: heldFamily },
    { title: 'its owner goes', acts: [foreground('configmaps/o')] },
    { title: 'the child that blocks leaves', acts: [patch('secrets/blocks', { metadata: { ownerReferences: null } })] },
    { title: 'the children are let go', acts: [free('secrets/does-not'), free('secrets/blocks')] },
  ]),
  scenario('unblocked-while-waiting', [
    { title: 'a family with finalizers', acts: heldFamily },
    { title: 'its owner goes', acts: [foreground('configmaps/o')] },
    { title: 'a child does not block any more', acts: [patch('secrets/blocks', { metadata: { ownerReferences: [owner('o')] } })] },
    { title: 'the children are let go', acts: [free('secrets/does-not'), free('secrets/blocks')] },
  ]),
  scenario('added-while-waiting', [
    { title: 'a family with finalizers', acts: heldFamily },
    { title: 'its owner goes', acts: [foreground('configmaps/o')] },
    { title: 'another child comes, and one that has been there', acts: [secret('late', [blocking('o')], [HOLD])] },
    { title: 'the first children are let go', acts: [free('secrets/does-not'), free('secrets/blocks')] },
    { title: 'the late one is let go', acts: [free('secrets/late')] },
  ]),
  scenario('second-owner-while-waiting', [
    { title: 'a family and somebody else', acts: [map('p'), ...heldFamily] },
    { title: 'the owner goes', acts: [foreground('configmaps/o')] },
    {
      title: 'a child that is going gets another owner',
      acts: [patch('secrets/blocks', { metadata: { ownerReferences: [blocking('o'), blocking('p')] } })],
    },
    { title: 'the children are let go', acts: [free('secrets/does-not'), free('secrets/blocks')] },
  ]),
  scenario('replaced', [
    { title: 'a family', acts: family },
    {
      title: 'a child is written with other owners',
      acts: [map('p'), replace('secrets/blocks', { metadata: { name: 'blocks', ownerReferences: [blocking('p')] } })],
    },
    { title: 'the first owner goes', acts: [foreground('configmaps/o')] },
    { title: 'the other one goes', acts: [foreground('configmaps/p')] },
  ]),
];

const role = (name: string, owners: Body[] = []): Act =>
  create(ROLES, { metadata: { name: `$NS-${name}`, ownerReferences: owners }, rules: [] });
const roleOwner = (name: string, more: Body = {}): Body =>
  blocking(`$NS-${name}`, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', ...more });
const elsewhere = (more: Partial<Scenario> = {}): Partial<Scenario> => ({
  looks: [...LOOKS, EVENTS, { path: '/api/v1/namespaces/$NS-b/configmaps', members: [] }],
  leftovers: ['/api/v1/namespaces/$NS-b'],
  ...more,
});
const otherNamespace: readonly Act[] = [
  create('/api/v1/namespaces', { metadata: { name: '$NS-b' } }),
  create('/api/v1/namespaces/$NS-b/configmaps', { metadata: { name: 'far' } }),
];

const PLACES: readonly Scenario[] = [
  scenario(
    'other-namespace',
    [{ title: 'an owner in another namespace', acts: [...otherNamespace, secret('child', [blocking('far')])] }],
    elsewhere(),
  ),
  scenario(
    'other-namespace-and-own',
    [
      { title: 'owners here and there', acts: [...otherNamespace, map('near'), secret('child', [blocking('far'), blocking('near')])] },
      { title: 'the near one goes', acts: [background('configmaps/near')] },
    ],
    elsewhere(),
  ),
  scenario(
    'other-namespace-foreground',
    [
      {
        title: 'a child here and a child there',
        acts: [
          ...otherNamespace,
          create('/api/v1/namespaces/$NS-b/configmaps', { metadata: { name: 'child', ownerReferences: [blocking('far')] } }),
        ],
      },
      { title: 'one more here, held', acts: [secret('strange', [blocking('far')], [HOLD])] },
      { title: 'the owner goes', acts: [foreground('/api/v1/namespaces/$NS-b/configmaps/far')] },
      { title: 'the strange one is let go', acts: [free('secrets/strange')] },
    ],
    elsewhere(),
  ),
  scenario(
    'cluster-child',
    [
      { title: 'a cluster-wide child of a namespaced owner', acts: [map('o'), role('child', [blocking('o')])] },
      { title: 'the owner goes', acts: [foreground('configmaps/o')] },
    ],
    { looks: [...LOOKS, ROLE_LOOK, EVENTS], leftovers: [`${ROLES}/$NS-child`] },
  ),
  scenario(
    'cluster-owner',
    [
      { title: 'a cluster-wide owner', acts: [role('o'), secret('child', [roleOwner('o')]), role('sister', [roleOwner('o')])] },
      { title: 'it goes', acts: [foreground(`${ROLES}/$NS-o`)] },
    ],
    { looks: [...LOOKS, ROLE_LOOK], leftovers: [`${ROLES}/$NS-o`, `${ROLES}/$NS-sister`] },
  ),
  scenario(
    'cluster-owner-orphan',
    [
      { title: 'a cluster-wide owner', acts: [role('o'), secret('child', [roleOwner('o')]), role('sister', [roleOwner('o')])] },
      { title: 'it goes', acts: [orphan(`${ROLES}/$NS-o`)] },
    ],
    { looks: [...LOOKS, ROLE_LOOK], leftovers: [`${ROLES}/$NS-o`, `${ROLES}/$NS-sister`] },
  ),
];

const definition = (scope: string): Act =>
  create(DEFINITIONS, {
    metadata: { name: 'things.$NS.example.com' },
    spec: {
      group: '$NS.example.com',
      scope,
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
const THINGS = '/apis/$NS.example.com/v1/namespaces/$NS/things';
const thing = (name: string, owners: Body[] = [], finalizers: string[] = []): Act =>
  untilServed(create(THINGS, { apiVersion: '$NS.example.com/v1', kind: 'Thing', metadata: { name, ownerReferences: owners, finalizers } }));
const thingOwner = (name: string): Body => blocking(name, { apiVersion: '$NS.example.com/v1', kind: 'Thing' });
/** Things are followed when one that nobody owns has gone. */
const things = (name: string, steps: Scenario['steps']): Scenario =>
  scenario(
    name,
    [{ title: 'a definition', acts: [definition('Namespaced'), thing('first', [absent('m')])], restMs: DISCOVERY_MS }, ...steps],
    {
      looks: [...LOOKS, { path: THINGS, members: [] }],
      leftovers: [`${DEFINITIONS}/things.$NS.example.com`],
    },
  );

export const CUSTOM_GARBAGE: readonly Scenario[] = [
  things('custom', [
    {
      title: 'custom owners and children',
      acts: [
        map('m'),
        thing('t'),
        secret('of-thing', [thingOwner('t')]),
        thing('of-map', [blocking('m')]),
        thing('of-of-map', [thingOwner('of-map')], [HOLD]),
      ],
    },
    { title: 'the owners go', acts: [background('configmaps/m'), foreground(`${THINGS}/t`)] },
    { title: 'the last one is let go', acts: [free(`${THINGS}/of-of-map`)] },
  ]),
  things('custom-foreground', [
    { title: 'a chain', acts: [map('m'), thing('t', [blocking('m')]), secret('held', [thingOwner('t')], [HOLD])] },
    { title: 'its head goes', acts: [foreground('configmaps/m')] },
    { title: 'its end is let go', acts: [free('secrets/held')] },
  ]),
  things('custom-orphan', [
    { title: 'a chain', acts: [map('m'), thing('t', [blocking('m')]), secret('end', [thingOwner('t')])] },
    { title: 'its head and its middle go', acts: [orphan('configmaps/m'), orphan(`${THINGS}/t`)] },
  ]),
  things('custom-absent', [
    { title: 'custom owners that never were', acts: [secret('child', [{ ...thingOwner('t'), uid: NOBODY }]), thing('t', [absent('m')])] },
  ]),
  things('definition-goes', [
    {
      title: 'a family',
      acts: [map('m'), thing('t', [blocking('m')]), secret('child', [thingOwner('t')]), secret('held', [thingOwner('t')], [HOLD])],
    },
    { title: 'the definition goes', acts: [background(`${DEFINITIONS}/things.$NS.example.com`)], restMs: DISCOVERY_MS },
    { title: 'the owner goes, and the held child is let go', acts: [foreground('configmaps/m'), free('secrets/held')] },
  ]),
  things('definition-goes-meanwhile', [
    { title: 'a family', acts: [thing('t', [], [HOLD]), secret('child', [thingOwner('t')], [HOLD])] },
    { title: 'the owner goes', acts: [foreground(`${THINGS}/t`)] },
    { title: 'the definition goes', acts: [background(`${DEFINITIONS}/things.$NS.example.com`)] },
    { title: 'both are let go', acts: [free('secrets/child'), free(`${THINGS}/t`)], restMs: DISCOVERY_MS },
  ]),
];

export const GARBAGE: readonly Scenario[] = [...POLICIES, ...CHAINS, ...CYCLES, ...OWNERS, ...CHANGES, ...PLACES];
