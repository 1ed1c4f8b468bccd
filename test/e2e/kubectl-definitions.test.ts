/**
 * Definitions of custom resources with real kubectl, as objects of their own: applied, shown, explained, refused; and what kubectl checks on its own
 * side with their help. What every step expects was first seen on release 1.31.1.
 */
import { withEachKubectl, table, type KubectlSession } from '../support/kubectl-session';

const groupOf = ({ namespace }: KubectlSession): string => `definitions.${namespace}.example.com`;

const definition = (
  group: string,
  schema = '{type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}',
): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shelves.${group}}
spec:
  group: ${group}
  scope: Cluster
  names: {plural: shelves, kind: Shelf}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: ${schema}}}
`;

withEachKubectl('definitions', (current) => {
  it('are applied, printed and changed', async () => {
    const session = current();
    const group = groupOf(session);
    const name = `customresourcedefinition.apiextensions.k8s.io/shelves.${group}`;
    expect(await session.ok('apply -f -', definition(group))).toBe(`${name} created\n`);
    const [head, row] = table(await session.ok(`get crd shelves.${group}`));
    expect([head, row]).toEqual([
      ['NAME', 'CREATED AT'],
      [`shelves.${group}`, expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)],
    ]);
    expect(await session.ok(`get crds shelves.${group} -o jsonpath={.spec.names.listKind}/{.status.storedVersions}`)).toBe(
      'ShelfList/["v1"]',
    );
    expect(await session.ok('apply -f -', definition(group, '{type: object, x-kubernetes-preserve-unknown-fields: true}'))).toBe(
      `${name} configured\n`,
    );
    expect(await session.ok('get api-extensions -o name')).toContain(`${name}\n`);
  });

  it('are refused with what is wrong with them', async () => {
    const session = current();
    const group = groupOf(session);
    const fault = await session.fails('apply -f -', definition(group, '{type: object, properties: {spec: {}}}'));
    expect(fault).toContain(
      `The CustomResourceDefinition "shelves.${group}" is invalid: ` +
        'spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
    );
    const unknown = await session.fails(
      'apply --validate=strict -f -',
      definition(group).replace('scope: Cluster', 'scope: Cluster\n  skope: x'),
    );
    expect(unknown).toContain('unknown field "spec.skope"');
  });

  it('are explained', async () => {
    const session = current();
    const all = await session.ok('explain crd.spec --recursive');
    expect(all).toContain('DESCRIPTION:\n    spec describes how the user wants the resources to appear');
    for (const line of [
      '  conversion\t<CustomResourceConversion>',
      '    schema\t<CustomResourceValidation>',
      '        additionalProperties\t<JSONSchemaPropsOrBool>',
      '        dependencies\t<map[string]JSONSchemaPropsOrStringArray>',
      '        enum\t<[]JSON>',
      '        x-kubernetes-validations\t<[]ValidationRule>',
      '          rule\t<string> -required-',
    ]) {
      expect(all.split('\n')).toContain(line);
    }
    expect(await session.ok('explain crd.spec.versions.schema.openAPIV3Schema.enum')).toContain('FIELD: enum <[]JSON>');
  });

  it('help kubectl to check what it creates', async () => {
    const session = current();
    const bound = (more = ''): string => `apiVersion: v1\nkind: Binding\nmetadata: {name: bound}\ntarget: {kind: Node, name: n1}\n${more}`;
    await session.ok('create -f -', 'apiVersion: v1\nkind: Pod\nmetadata: {name: bound}\nspec: {containers: [{name: c, image: i}]}\n');
    expect(await session.fails('create -f -', bound('tarkets: 1\n'))).toContain('unknown field "tarkets"');
    expect(await session.ok('create -f -', bound())).toContain('created');
    expect(await session.ok('get pod bound -o jsonpath={.spec.nodeName}')).toBe('n1');
  });

  it('go when they are deleted', async () => {
    const session = current();
    const group = groupOf(session);
    expect(await session.ok(`delete crd shelves.${group} --timeout=30s`)).toContain('deleted');
    expect(await session.fails(`get crd shelves.${group}`)).toContain('(NotFound)');
  });
});
