/**
 * Records what the reference server decides about random requests under random roles and bindings, and the roles and bindings that it makes itself:
 *   node deploy/scripts/run.mjs test/replay/rbac.js
 * Everything that is stored for it is deleted. rbac/recorded-decisions.test.ts and default-roles.test.ts replay the recordings.
 */
import { Dice } from './dice';
import { writeRecording } from './recording';
import { call, hangUp, isBody, type Body, type Json } from './reference';

const SETS = 20;
const REQUESTS = 100;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

const VERBS = ['get', 'list', 'create', 'deletecollection', 'Get'];
const GROUPS = ['', '', 'rbac.authorization.k8s.io', 'example.com'];
const RESOURCES = ['pods', 'roles', 'widgets'];
const SUBRESOURCES = ['', '', '', 'log', 'scale'];
const NAMES = ['', 'a', 'b', 'c'];
const PATHS = ['/healthz', '/healthz/ping', '/api', '/apis/apps', '/x', '/'];

const name = (set: number, rest: string): string => `rec-${set}-${rest}`;
const namespaces = (set: number): readonly string[] => [name(set, 'n1'), name(set, 'n2')];
const users = (set: number): readonly string[] => [name(set, 'u1'), name(set, 'u2'), `system:serviceaccount:${name(set, 'n1')}:sa`];
const groups = (set: number): readonly string[] => [name(set, 'g1'), name(set, 'g2')];

function ruleOf(dice: Dice, isClustered: boolean): Body {
  const few = (words: readonly string[], wild: string): string[] => {
    const picked = [...new Set([dice.pick(words), ...(dice.often(0.5) ? [dice.pick(words)] : [])])];
    return dice.often(0.15) ? [wild] : picked;
  };
  if (isClustered && dice.often(0.2)) return { verbs: few(VERBS, '*'), nonResourceURLs: few([...PATHS, '/healthz*', '/apis/*'], '*') };
  const resources = few(
    RESOURCES.flatMap((resource) => [resource, resource, `${resource}/log`, `${resource}/*`]).concat('*/scale', '*/status'),
    '*',
  );
  return {
    verbs: few(VERBS, '*'),
    apiGroups: few(GROUPS, '*'),
    resources,
    ...(dice.often(0.3) ? { resourceNames: dice.some(['a', 'b', '*']) } : {}),
  };
}

function roleOf(dice: Dice, isClustered: boolean, metadata: Body): Body {
  return { metadata, rules: Array.from({ length: 2 + dice.below(5) }, () => ruleOf(dice, isClustered)) };
}

function bindingOf(dice: Dice, set: number, isClustered: boolean, metadata: Body): Body {
  const kind = isClustered || dice.often(0.5) ? 'ClusterRole' : 'Role';
  const roles = kind === 'Role' ? ['r1', 'r2', 'missing'] : ['c1', 'c2', 'c3', 'missing'];
  const subject = (): Body => {
    const apiGroup = 'rbac.authorization.k8s.io';
    switch (dice.below(3)) {
      case 0:
        return { kind: 'User', apiGroup, name: dice.pick(users(set)) };
      case 1:
        return { kind: 'Group', apiGroup, name: dice.pick([...groups(set), `system:serviceaccounts:${name(set, 'n1')}`]) };
      default:
        return isClustered || dice.often(0.5)
          ? { kind: 'ServiceAccount', name: 'sa', namespace: name(set, 'n1') }
          : { kind: 'ServiceAccount', name: 'sa' };
    }
  };
  return {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: name(set, dice.pick(roles)) },
    subjects: Array.from({ length: 1 + dice.below(2) }, subject),
  };
}

interface Stored {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: Body;
}

/** Roles first. */
function objectsOf(dice: Dice, set: number): readonly Stored[] {
  const metadata = (rest: string, namespace = ''): Body => ({ name: name(set, rest), ...(namespace === '' ? {} : { namespace }) });
  const role = (rest: string, namespace = ''): Stored => ({
    resource: namespace === '' ? 'clusterroles' : 'roles',
    namespace,
    name: name(set, rest),
    object: roleOf(dice, namespace === '', metadata(rest, namespace)),
  });
  const binding = (rest: string, namespace = ''): Stored => ({
    resource: namespace === '' ? 'clusterrolebindings' : 'rolebindings',
    namespace,
    name: name(set, rest),
    object: bindingOf(dice, set, namespace === '', metadata(rest, namespace)),
  });
  return [
    ...['c1', 'c2', 'c3'].map((rest) => role(rest)),
    ...namespaces(set).flatMap((namespace) => ['r1', 'r2'].map((rest) => role(rest, namespace))),
    ...['b1', 'b2'].map((rest) => binding(rest)),
    ...namespaces(set).flatMap((namespace) => ['b3', 'b4', 'b5'].map((rest) => binding(rest, namespace))),
  ];
}

function requestOf(dice: Dice, set: number): Body {
  const user = dice.pick([...users(set), 'nobody']);
  const asked = {
    user,
    groups: [
      ...dice.some(groups(set)),
      ...(user.startsWith('system:serviceaccount:') ? ['system:serviceaccounts', `system:serviceaccounts:${name(set, 'n1')}`] : []),
    ],
  };
  if (dice.often(0.15)) return { ...asked, nonResourceAttributes: { verb: dice.pick(VERBS), path: dice.pick(PATHS) } };
  const [group, subresource, named] = [dice.pick(GROUPS), dice.pick(SUBRESOURCES), dice.pick(NAMES)];
  return {
    ...asked,
    resourceAttributes: {
      verb: dice.pick(VERBS),
      resource: dice.pick(RESOURCES),
      ...(dice.often(0.8) ? { namespace: dice.pick(namespaces(set)) } : {}),
      ...(group === '' ? {} : { group }),
      ...(subresource === '' ? {} : { subresource }),
      ...(named === '' ? {} : { name: named }),
    },
  };
}

const collection = ({ resource, namespace }: Stored): string =>
  namespace === '' ? `${RBAC}/${resource}` : `${RBAC}/namespaces/${namespace}/${resource}`;

async function decide(spec: Body): Promise<Body> {
  const { code, body } = await call('POST', REVIEWS, 'application/json', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec,
  });
  const status = body['status'];
  if (code !== 201 || !isBody(status)) throw new Error(JSON.stringify(body));
  return status;
}

async function recordSet(set: number): Promise<Body> {
  const dice = new Dice(1_000 + set);
  const stored = objectsOf(dice, set);
  for (const namespace of namespaces(set)) await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: namespace } });
  try {
    for (const one of stored) {
      const { code, body } = await call('POST', collection(one), 'application/json', one.object);
      if (code !== 201) throw new Error(JSON.stringify(body));
    }
    // The reference decides with what it has seen; a second later it has seen all of it.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const decisions: Json[] = [];
    for (let at = 0; at < REQUESTS; at += 1) {
      const spec = requestOf(dice, set);
      decisions.push([spec, await decide(spec)]);
    }
    return { stored: stored.map((one) => ({ ...one })), decisions };
  } finally {
    for (const one of stored) {
      await call('DELETE', `${collection(one)}/${one.name}`, 'application/json');
    }
    for (const namespace of namespaces(set)) await removeNamespace(namespace);
  }
}

/** The reference runs without the controller that would empty it. */
async function removeNamespace(name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  await call('DELETE', path, 'application/json');
  await call('PUT', `${path}/finalize`, 'application/json', { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} });
}

/** What it made itself, as far as it does not differ from one server to the next. */
async function recordDefaults(): Promise<readonly Body[]> {
  const lines: Body[] = [];
  for (const resource of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']) {
    const { body } = await call('GET', `${RBAC}/${resource}?labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults`, 'application/json');
    const items = body['items'];
    for (const item of Array.isArray(items) ? items.filter(isBody) : []) {
      const { metadata, ...members } = item;
      if (!isBody(metadata)) continue;
      const { name: named = null, namespace = '', labels = null, annotations = null } = metadata;
      const rules = members['aggregationRule'] === undefined ? {} : { rules: null };
      lines.push({ resource, namespace, name: named, object: { metadata: { name: named, labels, annotations }, ...members, ...rules } });
    }
  }
  return lines;
}

async function main(): Promise<void> {
  try {
    writeRecording('rbac/defaults', await recordDefaults());
    const sets: Body[] = [];
    for (let set = 0; set < SETS; set += 1) sets.push(await recordSet(set));
    writeRecording('rbac/decisions', sets);
  } finally {
    hangUp();
  }
}

void main();
