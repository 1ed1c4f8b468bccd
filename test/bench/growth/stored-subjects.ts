/** What grows in the API server: objects, namespaces, definitions of custom kinds, and roles with their bindings. */
import { waitUntil } from '../../support/programs';
import { smallDefinition } from '../../support/objects/generated-definitions';
import { configMap, MERGE } from '../harness/client';
import { forEachNumber, openGrownServer } from './grown-server';
import type { Subject } from './subject';

const NAMESPACES = '/api/v1/namespaces';
const NAMESPACE = 'grown';
const CONFIG_MAPS = `${NAMESPACES}/${NAMESPACE}/configmaps`;
const ROLES = `/apis/rbac.authorization.platform.io/v1/namespaces/${NAMESPACE}`;
const DEFINITIONS = '/apis/apiextensions.platform.io/v1/customresourcedefinitions';
const GROUP = '/apis/small.made-up.test/v1';
/** More than requests at a time, so that no two change the same object at once. */
const CUSTOM_OBJECTS = 50;

/** Visits the numbers below `count` in an order that is not that of their names: 7919 is prime and does not divide `count`. */
const scatter = (index: number, count: number): number => (index * 7919) % count;

/** Grows by ConfigMaps in one namespace. */
export const objects: Subject = {
  name: 'objects',
  size: 1000,
  item: 'a ConfigMap of 1.2 KB',
  async open() {
    const { client, request, ...grown } = await openGrownServer();
    await grown.create(NAMESPACES, { metadata: { name: NAMESPACE } });
    const name = (index: number): string => `o-${scatter(index, this.size)}`;
    const list = (query: string) => () => client.send('GET', `${CONFIG_MAPS}?${query}`);
    return {
      ...grown,
      add: (from, to) => forEachNumber(from, to, (index) => client.send('POST', CONFIG_MAPS, configMap(NAMESPACE, `o-${index}`, ''))),
      operations: [
        request('get', 'constant', (index) => client.send('GET', `${CONFIG_MAPS}/${name(index)}`)),
        request('update', 'constant', (index) =>
          client.send('PUT', `${CONFIG_MAPS}/${name(index)}`, configMap(NAMESPACE, name(index), String(index))),
        ),
        request('page of 500', 'constant', list('limit=500')),
        request('list of all', 'linear', list('')),
        request('list with a selector that matches none', 'linear', list('labelSelector=app%3Dnone')),
      ],
    };
  },
};

/** Grows by namespaces of one object each. */
export const namespaces: Subject = {
  name: 'namespaces',
  size: 100,
  item: 'a Namespace with a ConfigMap',
  async open() {
    const { client, request, ...grown } = await openGrownServer();
    const configMapsPath = (index: number): string => `${NAMESPACES}/n-${index}/configmaps`;
    return {
      ...grown,
      add: (from, to) =>
        forEachNumber(from, to, async (index) => {
          await grown.create(NAMESPACES, { metadata: { name: `n-${index}` } });
          await client.send('POST', configMapsPath(index), configMap(`n-${index}`, 'o', ''));
        }),
      operations: [
        request('get of a ConfigMap', 'constant', (index) => client.send('GET', `${configMapsPath(scatter(index, this.size))}/o`)),
        request('update of a ConfigMap', 'constant', (index) => {
          const number = scatter(index, this.size);
          return client.send('PUT', `${configMapsPath(number)}/o`, configMap(`n-${number}`, 'o', String(index)));
        }),
        request('list of a namespace', 'constant', (index) => client.send('GET', configMapsPath(scatter(index, this.size)))),
        request('list of the namespaces', 'linear', () => client.send('GET', NAMESPACES)),
        request('list in all namespaces', 'linear', () => client.send('GET', '/api/v1/configmaps')),
      ],
    };
  },
};

/** Grows by definitions. The first one has {@link CUSTOM_OBJECTS} objects at all sizes. */
export const definitions: Subject = {
  name: 'definitions',
  size: 12,
  item: 'a CustomResourceDefinition, until it is served',
  async open() {
    const { client, request, ...grown } = await openGrownServer();
    const customObjectsPath = `${GROUP}/namespaces/default/kind0s`;
    const objectPath = (index: number): string => `${customObjectsPath}/o-${index % CUSTOM_OBJECTS}`;
    let edits = 0;
    return {
      ...grown,
      async add(from, to) {
        for (let index = from; index < to; index += 1) {
          const { plural, text } = smallDefinition(`kind${index}`);
          await client.send('POST', DEFINITIONS, text);
          await waitUntil(`${plural} to be served`, async () => (await client.status('GET', `${GROUP}/${plural}`)) === 200);
        }
        if (from === 0) await forEachNumber(0, CUSTOM_OBJECTS, (index) => grown.create(customObjectsPath, customObject(`o-${index}`)));
      },
      operations: [
        request('get of a custom object', 'constant', (index) => client.send('GET', objectPath(index))),
        request('merge patch of a custom object', 'constant', (index) =>
          client.send('PATCH', objectPath(index), { metadata: { labels: { edit: String(index) } } }, MERGE),
        ),
        request('list of the definitions', 'linear', () => client.send('GET', DEFINITIONS)),
        request('discovery of the group', 'linear', () => client.send('GET', GROUP)),
        request('OpenAPI v3 index after a changed schema', 'linear', async () => {
          const { name, text } = smallDefinition('kind0');
          const edited = { spec: { versions: versionsWithDescription(text, `edit ${(edits += 1)}`) } };
          await client.send('PATCH', `${DEFINITIONS}/${name}`, edited, MERGE);
          await client.send('GET', '/openapi/v3');
        }),
      ],
    };
  },
};

const customObject = (name: string): object => ({ apiVersion: 'small.made-up.test/v1', kind: 'Kind0', metadata: { name }, spec: {} });

/** The versions of a definition, with this description in their schemas. */
function versionsWithDescription(text: string, description: string): unknown {
  const { spec } = JSON.parse(text) as {
    readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: object } }[] };
  };
  return spec.versions.map((version) => ({ ...version, schema: { openAPIV3Schema: { ...version.schema.openAPIV3Schema, description } } }));
}

/** Grows by roles that are all bound to the user `every`; `one` is bound to a role beside them. */
export const roles: Subject = {
  name: 'roles',
  size: 100,
  item: 'a Role with its RoleBinding',
  async open() {
    const { client, request, ...grown } = await openGrownServer();
    await grown.create(NAMESPACES, { metadata: { name: NAMESPACE } });
    await client.send('POST', CONFIG_MAPS, configMap(NAMESPACE, 'o', ''));
    const addRole = async (name: string, users: readonly string[], resourceNames: readonly string[]): Promise<void> => {
      const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames }];
      await grown.create(`${ROLES}/roles`, { metadata: { name }, rules });
      const roleRef = { apiGroup: 'rbac.authorization.platform.io', kind: 'Role', name };
      const subjects = users.map((user) => ({ apiGroup: 'rbac.authorization.platform.io', kind: 'User', name: user }));
      await grown.create(`${ROLES}/rolebindings`, { metadata: { name }, roleRef, subjects });
    };
    await addRole('reader', ['one', 'every'], ['o']);
    const getAs = (user: string) => () => client.send('GET', `${CONFIG_MAPS}/o`, undefined, { 'impersonate-user': user });
    return {
      ...grown,
      add: (from, to) => forEachNumber(from, to, (index) => addRole(`role-${index}`, ['every', `user-${index}`], [`o-${index}`])),
      operations: [
        request('get by a user with one binding', 'constant', getAs('one')),
        request('get by a user with all bindings', 'linear', getAs('every')),
        request('list of the roles', 'linear', () => client.send('GET', `${ROLES}/roles`)),
      ],
    };
  },
};
