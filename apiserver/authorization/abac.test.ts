/** Policies of an ABAC policy file: which requests they allow, and which lines are invalid. */
import { resourceAttributes } from '../../test/support/objects/attributes';
import { abacAuthorizer, PolicyFileError } from './abac';
import type { Attributes } from './authorizer';

const VERSION = 'abac.authorization.kubernetes.io/v1beta1';
/** A valid line of a policy file. */
const policyLine = (spec: object): string => JSON.stringify({ apiVersion: VERSION, kind: 'Policy', spec });
/** A request for a path outside the resource API. */
const pathAttributes = (path: string, verb = 'get'): Attributes => ({ kind: 'path', verb, path });

/** Whether the user `u` of group `g` may make the request; the file has a comment and an empty line as well. */
async function isAllowed(spec: object, attributes: Attributes): Promise<boolean> {
  const { type } = await abacAuthorizer('f', `# c\n\n${policyLine(spec)}\n`).authorize({ name: 'u', groups: ['g'] }, attributes);
  return type === 'allow';
}

const ALL = { namespace: '*', resource: '*', apiGroup: '*' };

describe('ABAC policy', () => {
  it.each<[spec: object, attributes: Attributes]>([
    [{ user: 'u', ...ALL }, resourceAttributes()],
    [{ user: '*', ...ALL }, resourceAttributes({ verb: 'delete', subresource: 'status' })],
    [{ group: 'g', ...ALL }, resourceAttributes()],
    [{ user: 'u', group: 'g', ...ALL }, resourceAttributes()],
    [{ user: 'u', readonly: true, ...ALL }, resourceAttributes({ verb: 'watch' })],
    [{ user: 'u', ...ALL, apiGroup: 'events.k8s.io' }, resourceAttributes({ group: 'events.platform.io' })],
    [{ user: 'u', nonResourcePath: '/version' }, pathAttributes('/version')],
    [{ user: 'u', nonResourcePath: '/api*' }, pathAttributes('/apis/x')],
    [{ user: 'u', nonResourcePath: '*' }, pathAttributes('/x', 'post')],
  ])('%j allows the request %j', async (spec, attributes) => expect(await isAllowed(spec, attributes)).toBe(true));

  it.each<[spec: object, attributes: Attributes]>([
    [{ user: 'v', ...ALL }, resourceAttributes()],
    [{ group: 'h', ...ALL }, resourceAttributes()],
    [{ user: 'u', group: 'h', ...ALL }, resourceAttributes()],
    [ALL, resourceAttributes()],
    [{ user: 'u', readonly: true, ...ALL }, resourceAttributes({ verb: 'create' })],
    [{ user: 'u', namespace: 'm', resource: '*', apiGroup: '*' }, resourceAttributes()],
    [{ user: 'u', namespace: '*', resource: 'secrets', apiGroup: '*' }, resourceAttributes()],
    [{ user: 'u', namespace: '*', resource: '*' }, resourceAttributes({ group: 'apps' })],
    [{ user: 'u', ...ALL }, pathAttributes('/version')],
    [{ user: 'u', nonResourcePath: '/version' }, pathAttributes('/versions')],
    [{ user: 'u', nonResourcePath: '*', readonly: true }, pathAttributes('/x', 'post')],
    [{ user: 'u', nonResourcePath: '*' }, resourceAttributes()],
  ])('%j does not allow the request %j', async (spec, attributes) => expect(await isAllowed(spec, attributes)).toBe(false));
});

describe('ABAC authorizer', () => {
  it.each([
    ['{', 'f, line 2: not valid JSON'],
    ['[]', 'f, line 2: not an object'],
    ['{"kind":"Policy","apiVersion":"x/v1"}', 'f, line 2: must have kind Policy and apiVersion abac.authorization.platform.io/v1beta1'],
    [JSON.stringify({ apiVersion: VERSION, kind: 'Policy' }), 'f, line 2: spec is missing'],
    [policyLine({ users: 'x' }), 'f, line 2: unknown field spec.users'],
    [policyLine({ readonly: 'yes' }), 'f, line 2: spec.readonly is of the wrong type'],
  ])('rejects the policy line %s: %s', (text, message) => {
    expect(() => abacAuthorizer('f', `${policyLine({ user: 'x' })}\n${text}`)).toThrow(new PolicyFileError(message));
  });

  it('reports that no policy matched', async () => {
    const abac = abacAuthorizer('f', policyLine({ user: 'u', ...ALL }));
    expect(await abac.authorize({ name: 'v', groups: [] }, resourceAttributes())).toEqual({
      type: 'no-opinion',
      reason: 'No policy matched.',
    });
  });

  it('lists the rules of a user', () => {
    const policies = [
      policyLine({ user: 'u', readonly: true, ...ALL }),
      policyLine({ user: 'u', nonResourcePath: '/x' }),
      policyLine({ user: 'v', ...ALL }),
    ];
    expect(abacAuthorizer('f', policies.join('\n')).rules({ name: 'u', groups: [] }, 'n')).toMatchObject({
      resources: [{ verbs: ['get', 'list', 'watch'], groups: ['*'], resources: ['*'] }],
      paths: [{ verbs: ['*'], paths: ['/x'] }],
    });
  });
});
