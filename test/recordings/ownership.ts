/**
 * Records what the reference server makes of random sequences of create, update, patch and apply by several managers:
 *   node deploy/scripts/run.mjs test/recordings/ownership.js <seed> <count> > apiserver/registry/write/ownership-answers.json
 * Objects live in the namespace h14. ownership-answers.test.ts replays the recording.
 */
import { apiVersionIn, canonicalApiVersion, otherQualifiedName } from '../../shared/names/dialect';
import { createChance } from './chance';
import { call, hangUp, isBody, type Body, type Json } from './reference';

interface Step {
  method: 'POST' | 'PUT' | 'PATCH';
  /** `` or `status`. */
  sub: string;
  type: 'json' | 'merge' | 'apply' | '';
  manager: string;
  force: boolean;
  body: Json;
  code: number;
  message?: string;
}

interface Case {
  resource: string;
  steps: Step[];
  object: Json;
}

const [seedText = '1', countText = '100'] = process.argv.slice(2);
const NAMESPACE = 'h14';
const NODE_PREFIX = otherQualifiedName('node.platform.io/x')?.split('/')[0] ?? '';
const LEASES = apiVersionIn('kubernetes', 'coordination.platform.io/v1');

const { float, below, often, pick } = createChance(Number(seedText));
const some = <T>(items: readonly T[]): T[] => items.filter(() => often(0.5));
const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: float() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
const map = (names: readonly string[], values: readonly Json[]): Body =>
  Object.fromEntries(some(names).map((name) => [name, pick(values)]));

function maybe(body: Body, name: string, share: number, make: () => Json): void {
  if (often(share)) body[name] = make();
}

const metadata = (): Body => {
  const made: Body = {};
  maybe(made, 'labels', 0.4, () => map(['a', 'b', 'c.d/e'], ['1', '2']));
  maybe(made, 'annotations', 0.3, () => map(['x', 'y'], ['<1>', '2', '']));
  maybe(made, 'finalizers', 0.25, () => shuffled(some(['a.b/x', 'a.b/y', 'a.b/z'])));
  maybe(made, 'ownerReferences', 0.15, () =>
    shuffled(some(['u1', 'u2', 'u3'])).map((uid) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: pick(['n', 'm']), uid })),
  );
  return made;
};

const condition = (type: string): Body => ({
  type,
  status: pick(['True', 'False']),
  ...(often(0.3) ? { reason: pick(['R', 'S']) } : {}),
  lastTransitionTime: null,
});

/** What a manager may want of a kind; `first` = what a create needs. */
const KINDS: Readonly<
  Record<string, { path: string; apiVersion: string; kind: string; status?: () => Body; spec: (first: boolean) => Body }>
> = {
  configmaps: {
    path: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
    apiVersion: 'v1',
    kind: 'ConfigMap',
    spec: () => {
      const made: Body = {};
      maybe(made, 'data', 0.8, () => map(['a', 'b', 'c', 'd'], ['1', '2', '']));
      maybe(made, 'binaryData', 0.3, () => map(['p', 'q'], ['AQ==', 'Ag==']));
      if (often(0.03)) made['data'] = { a: pick<Json>([null, 1, {}]) };
      return made;
    },
  },
  secrets: {
    path: `/api/v1/namespaces/${NAMESPACE}/secrets`,
    apiVersion: 'v1',
    kind: 'Secret',
    spec: () => {
      const made: Body = {};
      maybe(made, 'data', 0.6, () => map(['a', 'b', 'c'], ['AQ==', 'Ag==']));
      maybe(made, 'stringData', 0.3, () => map(['a', 'z'], ['1', '2']));
      return made;
    },
  },
  serviceaccounts: {
    path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`,
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    spec: () => {
      const made: Body = {};
      maybe(made, 'secrets', 0.8, () =>
        shuffled(some(['a', 'b', 'c', 'd', 'e'])).map((name) => ({ name, ...(often(0.2) ? { namespace: pick(['n', 'm']) } : {}) })),
      );
      maybe(made, 'imagePullSecrets', 0.3, () => shuffled(some(['a', 'b'])).map((name) => ({ name })));
      maybe(made, 'automountServiceAccountToken', 0.3, () => often(0.5));
      return made;
    },
  },
  leases: {
    path: `/apis/${LEASES}/namespaces/${NAMESPACE}/leases`,
    apiVersion: LEASES,
    kind: 'Lease',
    spec: () => {
      const spec: Body = {};
      maybe(spec, 'holderIdentity', 0.5, () => pick(['h', 'i', '']));
      maybe(spec, 'leaseDurationSeconds', 0.5, () => pick([10, 20]));
      maybe(spec, 'leaseTransitions', 0.3, () => pick([0, 1]));
      maybe(spec, 'renewTime', 0.3, () => pick(['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000000Z']));
      return often(0.9) ? { spec } : {};
    },
  },
  nodes: {
    path: '/api/v1/nodes',
    apiVersion: 'v1',
    kind: 'Node',
    spec: (first) => {
      // A taint that admission would add, so that everyone's nodes have it.
      if (first) return { spec: { taints: [{ key: `${NODE_PREFIX}/not-ready`, effect: 'NoSchedule' }] } };
      const spec: Body = {};
      maybe(spec, 'taints', 0.4, () => some(['t', 'u']).map((key) => ({ key, effect: 'NoSchedule' })));
      maybe(spec, 'unschedulable', 0.4, () => often(0.6));
      return often(0.8) ? { spec } : {};
    },
    status: () => {
      const status: Body = {};
      maybe(status, 'conditions', 0.7, () => shuffled(some(['A', 'B', 'C', 'D'])).map(condition));
      maybe(status, 'addresses', 0.5, () =>
        shuffled(some(['Hostname', 'InternalIP'])).map((type) => ({ type, address: pick(['1.2.3.4', 'h']) })),
      );
      maybe(status, 'capacity', 0.4, () => map(['cpu', 'memory'], ['1', '2', '1000m']));
      return { status, ...(often(0.1) ? { spec: { unschedulable: true } } : {}) };
    },
  },
  pods: {
    path: `/api/v1/namespaces/${NAMESPACE}/pods`,
    apiVersion: 'v1',
    kind: 'Pod',
    spec: (first) => {
      const container = (name: string): Body => {
        const made: Body = { name };
        if (first || often(0.7)) made['image'] = pick(['i', 'j']);
        if (first && often(0.5)) {
          made['ports'] = shuffled([80, 443, 9]).map((containerPort) => ({ containerPort, ...(often(0.3) ? { protocol: 'UDP' } : {}) }));
          made['env'] = shuffled(some(['E', 'F', 'G'])).map((env) => ({ name: env, ...(often(0.7) ? { value: pick(['1', '']) } : {}) }));
          made['resources'] = { limits: { cpu: pick<Json>([1, '500m']) } };
        }
        return made;
      };
      const containers = (first ? ['c', 'd'] : shuffled(some(['c', 'd']))).map(container);
      return containers.length === 0 ? {} : { spec: { containers } };
    },
    status: () => {
      const status: Body = {};
      maybe(status, 'conditions', 0.7, () => shuffled(some(['A', 'B', 'C', 'D'])).map(condition));
      maybe(status, 'phase', 0.5, () => pick(['Running', 'Pending']));
      maybe(status, 'podIP', 0.3, () => pick(['1.2.3.4', '1.2.3.5']));
      return { status };
    },
  },
};

const MEDIA = {
  '': 'application/json',
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

const RESETS: readonly Json[] = [{ metadata: { managedFields: [{}] } }];

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Members to null here and there: what a merge patch takes away. */
function withNulls(body: Body): Body {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, often(0.15) ? null : isBody(value) ? withNulls(value) : value]),
  );
}

async function record(index: number): Promise<Case> {
  const resource = pick(Object.keys(KINDS));
  const kind = KINDS[resource];
  if (kind === undefined) throw new Error(resource);
  const name = `case-${seedText}-${process.pid}-${index}`;
  const steps: Step[] = [];
  let object: Body = {};
  const count = 3 + below(6);
  for (let i = 0; i < count; i += 1) {
    const first = i === 0 || object['metadata'] === undefined;
    const sub = !first && kind.status !== undefined && often(0.35) ? 'status' : '';
    const part = sub === 'status' && kind.status !== undefined ? kind.status() : kind.spec(first);
    const body: Body = { apiVersion: kind.apiVersion, kind: kind.kind, ...part, metadata: { name, ...metadata() } };
    const way = first ? pick(['create', 'apply']) : pick(['put', 'merge', 'json', 'apply', 'apply', 'apply', 'merge']);
    const manager = pick(['m1', 'm2', 'm3']);
    // What admission added to a pod's containers would be lost with a list that a patch replaces.
    if (resource === 'pods' && way !== 'apply' && !first && sub === '') delete body['spec'];
    const step: Step = { method: 'PATCH', sub, type: 'merge', manager, force: way === 'apply' && often(0.35), body, code: 0 };
    if (way === 'create') Object.assign(step, { method: 'POST', type: '' });
    else if (way === 'apply') step.type = 'apply';
    else if (way === 'merge')
      step.body =
        often(0.06) && resource !== 'pods'
          ? pick(RESETS)
          : withNulls({ ...(resource === 'pods' && sub === '' ? {} : part), metadata: metadata() });
    else if (way === 'put' && resource !== 'leases' && resource !== 'pods') Object.assign(step, { method: 'PUT', type: '' });
    else if (way === 'json' && object['metadata'] !== undefined) {
      const label = pick(['a', 'b']);
      step.type = 'json';
      step.body = [{ op: 'add', path: '/metadata/labels', value: { [label]: pick(['1', '2', '3']) } }];
    }
    const url = step.method === 'POST' ? kind.path : `${kind.path}/${name}${sub === '' ? '' : `/${sub}`}`;
    const answer = await call(step.method, `${url}?fieldManager=${manager}${step.force ? '&force=true' : ''}`, MEDIA[step.type], step.body);
    step.code = answer.code;
    if (answer.code >= 400 && answer.code !== 422) step.message = textOf(answer.body['message']);
    if (answer.code < 400) object = answer.body;
    steps.push(step);
  }
  return { resource, steps, object: withoutAdmitted(object) };
}

/** What admission plug-ins of the reference add to pods, and what is new in every run. */
const ADMITTED = ['volumes', 'tolerations', 'serviceAccount', 'serviceAccountName', 'priority', 'preemptionPolicy'];

function withoutAdmitted(object: Body): Body {
  const { metadata: own, spec } = object;
  if (isBody(own)) for (const member of ['uid', 'resourceVersion', 'creationTimestamp']) delete own[member];
  if (!isBody(spec)) return object;
  if (Array.isArray(spec['containers'])) {
    for (const member of ADMITTED) delete spec[member];
    for (const container of spec['containers']) if (isBody(container)) delete container['volumeMounts'];
  }
  return object;
}

/** Recordings are in canonical spelling. */
const canonical = (text: string): string =>
  text.replaceAll(LEASES, canonicalApiVersion(LEASES)).replaceAll(NODE_PREFIX, 'node.platform.io');

async function main(): Promise<void> {
  const cases: Case[] = [];
  for (let i = 0; i < Number(countText); i += 1) {
    const made = await record(i);
    if (isBody(made.object) && made.object['metadata'] !== undefined) cases.push(made);
  }
  process.stdout.write(`[\n${cases.map((made) => canonical(JSON.stringify(made))).join(',\n')}\n]\n`);
  hangUp();
}

void main();
