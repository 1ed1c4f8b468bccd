/**
 * What becomes of custom objects whose collection is shown in another version than the one stored, by a webhook that is cut off, never answers, is not there, talks
 * nonsense and comes back: when their owners go, when their namespace goes, and when their definition goes meanwhile. The acts themselves use the stored version, which
 * asks nobody.
 */
import type { Body } from '../reference';
import { create, patch, remove, replace, untilServed, type Act, type Look, type Scenario } from './scenario';

/** Where the webhook of a scenario is told what to do: no server's path. */
export const WEBHOOK = '/conversion-webhook/';
/** In the place of its port and of the certificate of its authority. */
export const PORT = '<webhook port>';
export const AUTHORITY = '<webhook authority>';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const THINGS = '/apis/$NS.example.com/v1/namespaces/$NS/things';
const FAR_THINGS = THINGS.replace('namespaces/$NS', 'namespaces/$NS-b');
const NOBODY = '00000000-1111-2222-3333-444444444444';
const HOLD = 'example.com/hold';
const REST_MS = 20_000;
/** The reference's collector looks for new kinds every 30 s. */
const DISCOVERY_MS = 45_000;
/** What has failed for a while it tries again after as long a while. */
const LATE_MS = 45_000;
const LATEST_MS = 75_000;
/** Who is never answered gives up after 30 s. */
const HUNG_MS = 45_000;

/** `refused` = nobody listens where it is; else one of the behaviours of conversion webhooks. */
const does = (behaviour: string): Act => replace(`${WEBHOOK}$NS`, { does: behaviour });

const version = (name: string, storage: boolean): Body => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
});
/** Clients prefer the second version. */
const definition: Act = create(DEFINITIONS, {
  metadata: { name: 'things.$NS.example.com' },
  spec: {
    group: '$NS.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [version('v1', true), version('v2', false)],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { url: `https://127.0.0.1:${PORT}/$NS`, caBundle: AUTHORITY },
      },
    },
  },
});

const ofMap = (name: string): Body => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: `<uid of ${name}>`, blockOwnerDeletion: true });
const ofThing = (name: string): Body => ({ ...ofMap(name), apiVersion: '$NS.example.com/v1', kind: 'Thing' });
const made = (path: string, name: string, owners: Body[] = [], finalizers: string[] = []): Act =>
  create(path, { metadata: { name, ownerReferences: owners, finalizers } });
const thing = (name: string, owners: Body[] = [], finalizers: string[] = [], path = THINGS): Act =>
  untilServed(create(path, { apiVersion: '$NS.example.com/v1', kind: 'Thing', metadata: { name, ownerReferences: owners, finalizers } }));
const gone = (path: string, propagationPolicy: string): Act => remove(path, { propagationPolicy });
const free = (path: string): Act => patch(path, { metadata: { finalizers: null } });

const LOOKS: readonly Look[] = [
  { path: 'configmaps', members: [] },
  { path: 'secrets', members: [] },
  { path: THINGS, members: [] },
];
/** Things are followed when one whose owner never was has gone. */
const followed: Scenario['steps'][number] = {
  title: 'a definition',
  acts: [does('good'), definition, thing('first', [{ ...ofMap('m'), uid: NOBODY }])],
  restMs: DISCOVERY_MS,
};

const scenario = (name: string, steps: Scenario['steps'], looks: readonly Look[] = LOOKS, more: readonly string[] = []): Scenario => ({
  name: `gc-${name}`,
  looks,
  leftovers: [`${DEFINITIONS}/things.$NS.example.com`, ...more],
  steps: steps.map((step) => ({ restMs: REST_MS, ...step })),
});

/** How a webhook is away, and how long nothing may happen then until it is sure that nothing will. */
interface Outage {
  readonly name: string;
  readonly does: string;
  readonly is: string;
  readonly restMs: number;
  /** Before it comes back. */
  readonly talksNonsense?: boolean;
}

const back: Scenario['steps'][number] = { title: 'it comes back', acts: [does('good')], restMs: LATEST_MS };
const nonsense = ({ talksNonsense = false }: Outage, behaviour: string, restMs: number): Scenario['steps'] =>
  talksNonsense ? [{ title: 'it talks nonsense', acts: [does(behaviour)], restMs }] : [];

const owners = (outage: Outage): Scenario => {
  const { name, does: away, is, restMs } = outage;
  return scenario(`${name}-owners`, [
    followed,
    {
      title: 'owners and children',
      acts: [
        made('configmaps', 'm'),
        thing('of-map', [ofMap('m')]),
        ...['background', 'foreground', 'orphan'].flatMap((child) => [thing(child), made('secrets', `of-${child}`, [ofThing(child)])]),
      ],
    },
    {
      title: `the webhook ${is}, and the owners go`,
      restMs,
      acts: [
        does(away),
        thing('unseen', [ofMap('m')]),
        gone(`${THINGS}/foreground`, 'Foreground'),
        gone(`${THINGS}/orphan`, 'Orphan'),
        gone(`${THINGS}/background`, 'Background'),
        gone('configmaps/m', 'Background'),
      ],
    },
    ...nonsense(outage, 'other-uid', REST_MS),
    back,
  ]);
};

const namespace = (outage: Outage): Scenario => {
  const { name, does: away, is, restMs } = outage;
  return scenario(
    `${name}-namespace`,
    [
      {
        title: `the webhook ${is} from the beginning`,
        acts: [
          does(away),
          definition,
          create('/api/v1/namespaces', { metadata: { name: '$NS-b' } }),
          thing('one', [], [], FAR_THINGS),
          thing('held', [], [HOLD], FAR_THINGS),
        ],
      },
      { title: 'the namespace goes', acts: [remove('/api/v1/namespaces/$NS-b')], restMs },
      ...nonsense(outage, 'typed-text', LATE_MS),
      back,
      { title: 'the held one is let go', acts: [free(`${FAR_THINGS}/held`)] },
    ],
    [
      { path: '/api/v1/namespaces', members: ['status'] },
      { path: FAR_THINGS, members: [] },
    ],
  );
};

const ofDefinition = ({ name, does: away, is, restMs }: Outage): Scenario =>
  scenario(
    `${name}-definition`,
    [
      followed,
      {
        title: 'a family',
        acts: [
          thing('t'),
          thing('held', [], [HOLD]),
          made('secrets', 'of-t', [ofThing('t')]),
          made('secrets', 'of-held', [ofThing('held')]),
        ],
      },
      {
        title: `the webhook ${is}, and the definition goes`,
        acts: [does(away), remove(`${DEFINITIONS}/things.$NS.example.com`)],
        restMs,
      },
      { title: 'the held one is let go', acts: [free(`${THINGS}/held`)] },
    ],
    [...LOOKS, { path: DEFINITIONS, members: [] }],
  );

const CUT: Outage = { name: 'converted', does: 'cut', is: 'is cut off', restMs: REST_MS, talksNonsense: true };
const OUTAGES: readonly Outage[] = [
  { name: 'hung', does: 'hang', is: 'never answers', restMs: HUNG_MS },
  { name: 'refused', does: 'refused', is: 'is not there', restMs: REST_MS },
];

export const CONVERTED_GARBAGE: readonly Scenario[] = [owners(CUT), namespace(CUT), ofDefinition(CUT)];
export const CONVERTED_OUTAGES: readonly Scenario[] = OUTAGES.flatMap((outage) => [
  owners(outage),
  namespace(outage),
  ofDefinition(outage),
]);
